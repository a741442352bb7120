/**
 * Schedules in rounds of free length by column generation (docs/ilp.md): a mixture of trees, or paths, such that all rounds together are
 * short. Each round costs the latency of a message, and lasts as long as its busiest link is busy.
 */
import { collectiveFacts, keepsRankOrder } from '../../ir/collective.ts';
import type { Seconds } from '../../ir/units.ts';
import { refine } from '../../passes/index.ts';
import type { Candidate, Problem } from '../engine.ts';
import { mostFailures, tolerance } from '../limits.ts';
import type { Solver } from '../solver/index.ts';
import { type Demands, demandsOf } from './demands.ts';
import { Generation } from './generation.ts';
import {
  mostFinished,
  mostLatencies,
  patience,
  precision,
  quickPart,
  workOfAll,
  workOfTry,
  workOfTrying,
} from './limits.ts';
import { reducesOutOfStep, roundsNetwork, waysLatencies } from './network.ts';
import { scheduleOf } from './placing.ts';
import type { RoundsProblem } from './problem.ts';
import { rounded } from './rounding.ts';
import { leastRounds } from './rounds-needed.ts';

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
  /** Master programs that were solved. */
  readonly masters: number;
}

/** Told how many rounds are looked at, and what they take so far. */
export type RoundsProgress = (rounds: number, seconds: Seconds) => void;

/**
 * Looks for the best mixture in the number of rounds that suits the size.
 *
 * @param toBeat the time of the best plan known
 * @returns undefined for collectives and machines that it is not made for
 */
export function bestInRounds(
  problem: Problem,
  solver: Solver,
  toBeat: Seconds,
  onProgress?: RoundsProgress,
): InRounds | undefined {
  const { collective, size, routes } = problem;
  const demands = demandsOf(collective, size);
  const isOrdered = collectiveFacts[collective.kind].reduces && keepsRankOrder(collective);
  if (demands === undefined || isOrdered || demands.commodities.length === 0) return undefined;
  const search = new Search(demands, problem, solver, toBeat, onProgress);
  for (const latency of latenciesFor(routes)) search.tryLatency(latency);
  return search.finish();
}

/** The greatest latencies that rounds may have: of all ways, and, where ways differ, of only the quicker ones. */
function latenciesFor(routes: Problem['routes']): readonly Seconds[] {
  return waysLatencies(routes).slice(-mostLatencies).reverse();
}

class Search {
  private readonly demands: Demands;
  private readonly problem: Problem;
  private readonly solver: Solver;
  private readonly toBeat: Seconds;
  private readonly onProgress: RoundsProgress | undefined;
  /** The part of all limits of work that it may use. */
  private readonly part: number;
  /** The most promising first. */
  private best: Generation[] = [];
  private masters = 0;
  /** Of the simplex method, as limits count it. */
  private work = 0;

  constructor(demands: Demands, problem: Problem, solver: Solver, toBeat: Seconds, onProgress?: RoundsProgress) {
    this.demands = demands;
    this.problem = problem;
    this.solver = solver;
    this.toBeat = toBeat;
    this.onProgress = onProgress;
    this.part = problem.effort === 'quick' ? quickPart : 1;
  }

  /** More and more rounds, as long as the first masters say that it helps. */
  tryLatency(latency: Seconds): void {
    const { commodities, reductions, turned } = this.demands;
    const network = roundsNetwork(this.problem.routes, latency, turned);
    if (network === undefined) return;
    let least = Number.POSITIVE_INFINITY;
    let failures = 0;
    for (let rounds = leastRounds(network, commodities); rounds * network.latency < this.toBeat; rounds++) {
      const seconds = this.tryRounds({ network, rounds, commodities, reductions });
      if (seconds < least) [least, failures] = [seconds, 0];
      else failures++;
      if (failures === mostFailures || this.work > workOfTrying * this.part || this.problem.shouldStop?.() === true)
        return;
    }
  }

  /** What so many rounds take after the first masters. */
  private tryRounds(problem: RoundsProblem): Seconds {
    const { solver } = this;
    const { seed, shouldStop } = this.problem;
    const generation = new Generation(problem, solver, seed, shouldStop);
    this.work += generation.work;
    this.improve(generation, workOfTry * this.part, tolerance);
    this.best = [...this.best, generation].sort((a, b) => secondsOf(a) - secondsOf(b));
    for (const other of this.best.splice(mostFinished)) other.close();
    return secondsOf(generation);
  }

  /** Solves masters until they have taken so much work, or the last few have gained less than this part of the time. */
  private improve(generation: Generation, work: number, gain: number): void {
    const seconds: Seconds[] = [secondsOf(generation)];
    const [workBefore, mastersBefore] = [generation.work, generation.masters];
    while (!generation.isDone && generation.work - workBefore < work) {
      generation.step();
      const now = secondsOf(generation);
      seconds.push(now);
      this.onProgress?.(generation.problem.rounds, now);
      if (seconds.length > patience && now > seconds[seconds.length - 1 - patience] * (1 - gain)) break;
    }
    this.work += generation.work - workBefore;
    this.masters += generation.masters - mastersBefore;
  }

  /** The best numbers of rounds to the end, and what comes of the best. */
  finish(): InRounds | undefined {
    const { problem, best } = this;
    for (const [place, generation] of best.entries()) {
      this.improve(generation, (workOfAll * this.part - this.work) / (best.length - place), precision);
    }
    best.sort((a, b) => secondsOf(a) - secondsOf(b));
    for (const generation of best) generation.close();
    const [first] = best;
    if (first?.best === undefined) return undefined;
    problem.onModel?.(first.whole(), `${problem.collective.kind} in ${first.problem.rounds} rounds`);
    const { rounds } = first.problem;
    return { candidates: this.candidatesOf(first), rounds, seconds: secondsOf(first), masters: this.masters };
  }

  private candidatesOf({ best, problem: inRounds }: Generation): readonly Candidate[] {
    if (best === undefined) return [];
    const { collective, chunks, routes, effort } = this.problem;
    const name = `ilp-rounds-${collective.kind}`;
    const whole = rounded(inRounds, best, chunks, effort);
    const schedule = scheduleOf(name, collective, inRounds, whole, this.demands.turned);
    const origin = { engine: 'ilp', schedule: name, rounds: inRounds.rounds };
    const plain: Candidate = { name, origin, isDeepEnough: true, build: (multiple) => refine(schedule, multiple) };
    if (!schedule.commutative || !reducesOutOfStep(routes.topology)) return [plain];
    const inStep = { ...schedule, inStep: true } as const;
    return [plain, { ...plain, name: `${name}-in-step`, build: (multiple) => refine(inStep, multiple) }];
  }
}

function secondsOf(generation: Generation | undefined): Seconds {
  if (generation?.best === undefined) return Number.POSITIVE_INFINITY;
  const { rounds, network } = generation.problem;
  return rounds * network.latency + generation.best.seconds;
}
