/**
 * The rounds engine: schedules in rounds of free length by column generation (docs/ilp.md; Ford and Fulkerson 1958,
 * with heuristic Steiner trees as columns). A solution mixes trees, or paths, such that all rounds together are short.
 * Each round costs the latency of a message, and lasts as long as its busiest link. Cost: a linear program per
 * iteration, limited by work; for up to 16 ranks.
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

/** The best schedules in rounds that were found. */
export interface InRounds {
  /** The same mixture, realised in several ways. */
  readonly candidates: readonly Candidate[];
  readonly rounds: number;
  /**
   * Time of the rounds with infinitely small chunks, by the linear program. It is no lower bound: other schedules may
   * be faster, and so may mixtures with columns that were not generated.
   */
  readonly seconds: Seconds;
}

/**
 * Searches the best mixture in the number of rounds that suits the size.
 * @param incumbent the time of the best plan so far
 * @param onProgress called with the number of rounds examined and their time so far
 * @returns undefined for unsupported collectives and machines
 */
export function bestInRounds(
  problem: Problem,
  solver: Solver,
  incumbent: Seconds,
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
  // Increases the number of rounds while the first master programs show an improvement.
  for (let rounds = 1; failures < maxFailures && work <= workOfTrying * part; rounds++) {
    if (rounds * network.latency >= incumbent || shouldStop?.() === true) break;
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
  // Where reductions keep chips from sending, ranks must stay synchronised for rounds to be what the program assumes.
  const getsOutOfStep = routes.topology.nodes.some(({ reduce }) => reduce?.overlap === false);
  if (!schedule.commutative || !getsOutOfStep) return [plain];
  return [plain, { ...candidateOf({ ...schedule, inStep: true }, origin, `${name}-in-step`), isDeepEnough: true }];
}
