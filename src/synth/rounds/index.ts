/**
 * Schedules in rounds of free length by column generation (docs/ilp.md): a mixture of trees, or paths, such that all rounds together are
 * short. Each round costs the latency of a message, and lasts as long as its busiest link is busy.
 */
import { collectiveFacts, combinesInRankOrder } from '../../ir/collective.ts';
import type { Seconds } from '../../ir/units.ts';
import type { Solver } from '../../solver/index.ts';
import { type Candidate, candidateOf, type Problem } from '../engine.ts';
import { maxFailures, relativeTolerance } from '../limits.ts';
import { Generation } from './generation.ts';
import { precision, quickPart, workOfAll, workOfTry, workOfTrying } from './limits.ts';
import { roundsNetwork } from './network.ts';
import { commoditiesOf } from './problem.ts';
import { roundedMixture } from './rounding.ts';
import { roundsSchedule } from './schedule.ts';

/** The best in rounds that was found. */
export interface InRounds {
  /** The same mixture, made in several ways. */
  readonly candidates: readonly Candidate[];
  readonly rounds: number;
  /**
   * What the rounds take with chunks as small as one likes, by the program. It bounds nothing: other schedules may be faster, and so may
   * mixtures of columns that were not found.
   */
  readonly seconds: Seconds;
}

/**
 * Looks for the best mixture in the number of rounds that suits the size.
 *
 * @param toBeat the time of the best plan known
 * @param onProgress told how many rounds are looked at, and what they take so far
 * @returns undefined for collectives and machines that it is not made for
 */
export function bestInRounds(
  problem: Problem,
  solver: Solver,
  toBeat: Seconds,
  onProgress?: (rounds: number, seconds: Seconds) => void,
): InRounds | undefined {
  const { collective, size, routes, seed, effort, shouldStop, onModel } = problem;
  const demands = commoditiesOf(collective, size);
  const isOrdered = collectiveFacts[collective.kind].reduces && combinesInRankOrder(collective);
  if (demands === undefined || isOrdered || demands.commodities.length === 0) return undefined;
  const network = roundsNetwork(routes, demands.reversed !== undefined);
  if (network === undefined) return undefined;
  const part = effort === 'quick' ? quickPart : 1;
  let best: Generation | undefined;
  let [work, failures] = [0, 0];
  // More and more rounds, as long as the first masters say that it helps.
  for (let rounds = 1; failures < maxFailures && work <= workOfTrying * part; rounds++) {
    if (rounds * network.latency >= toBeat || shouldStop?.() === true) break;
    const generation = new Generation({ ...demands, network, rounds }, solver, seed, shouldStop);
    generation.improve(workOfTry * part, relativeTolerance, onProgress);
    work += generation.work;
    const isBetter = generation.seconds < (best?.seconds ?? Number.POSITIVE_INFINITY);
    if (best !== undefined) failures = isBetter ? 0 : failures + 1;
    (isBetter ? best : generation)?.close();
    if (isBetter) best = generation;
  }
  if (best === undefined) return undefined;
  best.improve(workOfAll * part - work, precision, onProgress);
  best.close();
  const { rounds } = best.problem;
  onModel?.(best.whole(), `${collective.kind} in ${rounds} rounds`);
  return { candidates: candidatesOf(problem, best), rounds, seconds: best.seconds };
}

function candidatesOf(
  { collective, chunks, routes, effort }: Problem,
  { problem, best }: Generation,
): readonly Candidate[] {
  if (best === undefined) return [];
  const name = `ilp-rounds-${collective.kind}`;
  const schedule = roundsSchedule(name, collective, problem, roundedMixture(problem, best, chunks, effort));
  const origin = { engine: 'ilp', schedule: name, rounds: problem.rounds };
  const plain: Candidate = { ...candidateOf(schedule, origin), isDeepEnough: true };
  // Where reductions keep chips from sending, ranks have to keep in step for rounds to be what they are.
  const getsOutOfStep = routes.topology.nodes.some(({ reduce }) => reduce?.overlap === false);
  if (!schedule.commutative || !getsOutOfStep) return [plain];
  return [plain, { ...candidateOf({ ...schedule, inStep: true }, origin, `${name}-in-step`), isDeepEnough: true }];
}
