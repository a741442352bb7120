/**
 * Schedules in rounds of free length by column generation (docs/ilp.md): a mixture of trees, or paths, such that all rounds together are
 * short. Each round costs the latency of a message, and lasts as long as its busiest link is busy.
 */
import { collectiveFacts, keepsRankOrder } from '../../ir/collective.ts';
import type { Seconds } from '../../ir/units.ts';
import type { Solver } from '../../solver/index.ts';
import { type Candidate, candidateOf, type Problem } from '../engine.ts';
import { mostFailures, tolerance } from '../limits.ts';
import { Generation, type Mixture } from './generation.ts';
import { mostFinished, patience, precision, quickPart, workOfAll, workOfTry, workOfTrying } from './limits.ts';
import { roundsNetwork, waysLatencies } from './network.ts';
import { type Demands, demandsOf, leastRounds, type RoundsProblem } from './problem.ts';
import { rounded } from './rounding.ts';
import { scheduleOf } from './schedule.ts';

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
  const { collective, size, routes } = problem;
  const demands = demandsOf(collective, size);
  const isOrdered = collectiveFacts[collective.kind].reduces && keepsRankOrder(collective);
  if (demands === undefined || isOrdered || demands.commodities.length === 0) return undefined;
  const search = new Search(problem, solver, onProgress);
  // The greatest latencies that rounds may have: of all ways, and, where ways differ, of only the quicker ones.
  for (const latency of waysLatencies(routes)) search.tryLatency(demands, latency, toBeat);
  return search.finish();
}

class Search {
  private readonly problem: Problem;
  private readonly solver: Solver;
  private readonly onProgress: ((rounds: number, seconds: Seconds) => void) | undefined;
  /** The part of all limits of work that it may use. */
  private readonly part: number;
  /** The most promising first. */
  private best: Generation[] = [];
  /** Of the simplex method, as limits count it. */
  private work = 0;

  constructor(problem: Problem, solver: Solver, onProgress?: (rounds: number, seconds: Seconds) => void) {
    this.problem = problem;
    this.solver = solver;
    this.onProgress = onProgress;
    this.part = problem.effort === 'quick' ? quickPart : 1;
  }

  /** More and more rounds, as long as the first masters say that it helps. */
  tryLatency(demands: Demands, latency: Seconds, toBeat: Seconds): void {
    const network = roundsNetwork(this.problem.routes, latency, demands.turned !== undefined);
    if (network === undefined || this.work > workOfTrying * this.part) return;
    let least = Number.POSITIVE_INFINITY;
    let failures = 0;
    for (let rounds = leastRounds(network, demands.commodities); rounds * network.latency < toBeat; rounds++) {
      const seconds = this.tryRounds({ ...demands, network, rounds });
      if (seconds < least) [least, failures] = [seconds, 0];
      else failures++;
      if (failures === mostFailures || this.work > workOfTrying * this.part || this.problem.shouldStop?.() === true)
        return;
    }
  }

  /** What so many rounds take after the first masters. */
  private tryRounds(problem: RoundsProblem): Seconds {
    const { seed, shouldStop } = this.problem;
    const generation = new Generation(problem, this.solver, seed, shouldStop);
    this.work += generation.work;
    this.improve(generation, workOfTry * this.part, tolerance);
    this.best = [...this.best, generation].sort((a, b) => a.seconds - b.seconds);
    for (const other of this.best.splice(mostFinished)) other.close();
    return generation.seconds;
  }

  /** Solves masters until they have taken so much work, or the last few have gained less than this part of the time. */
  private improve(generation: Generation, work: number, gain: number): void {
    const seconds: Seconds[] = [generation.seconds];
    const workBefore = generation.work;
    while (!generation.isDone && generation.work - workBefore < work) {
      generation.step();
      seconds.push(generation.seconds);
      this.onProgress?.(generation.problem.rounds, generation.seconds);
      const before = seconds.at(-1 - patience);
      if (before !== undefined && generation.seconds > before * (1 - gain)) break;
    }
    this.work += generation.work - workBefore;
  }

  /** The best numbers of rounds to the end, and what comes of the best. */
  finish(): InRounds | undefined {
    const { problem, best } = this;
    for (const [place, generation] of best.entries()) {
      this.improve(generation, (workOfAll * this.part - this.work) / (best.length - place), precision);
    }
    best.sort((a, b) => a.seconds - b.seconds);
    for (const generation of best) generation.close();
    const [first] = best;
    if (first?.best === undefined) return undefined;
    const { rounds } = first.problem;
    problem.onModel?.(first.whole(), `${problem.collective.kind} in ${rounds} rounds`);
    return {
      candidates: this.candidatesOf(first.problem, first.best),
      rounds,
      seconds: first.seconds,
    };
  }

  private candidatesOf(inRounds: RoundsProblem, mixture: Mixture): readonly Candidate[] {
    const { collective, chunks, routes, effort } = this.problem;
    const name = `ilp-rounds-${collective.kind}`;
    const schedule = scheduleOf(name, collective, inRounds, rounded(inRounds, mixture, chunks, effort));
    const origin = { engine: 'ilp', schedule: name, rounds: inRounds.rounds };
    const plain: Candidate = { ...candidateOf(schedule, origin), isDeepEnough: true };
    // Where reductions keep chips from sending, ranks have to keep in step for rounds to be what they are.
    const getsOutOfStep = routes.topology.nodes.some(({ reduce }) => reduce?.overlap === false);
    if (!schedule.commutative || !getsOutOfStep) return [plain];
    return [plain, { ...candidateOf({ ...schedule, inStep: true }, origin, `${name}-in-step`), isDeepEnough: true }];
  }
}
