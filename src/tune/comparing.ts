/**
 * Compares tuned plans with what other libraries would run on the machine: MPI libraries by their fixed decision rules,
 * NCCL by its rings and trees.
 */

import { CccError } from '../ir/diagnostic.ts';
import { operationCount, type Plan } from '../ir/plan.ts';
import { optimality } from '../ir/report.ts';
import { Routes } from '../ir/routes.ts';
import type { Bytes, Seconds } from '../ir/units.ts';
import { lower } from '../lower/index.ts';
import { simulate } from '../model/index.ts';
import { listShipped } from '../read/index.ts';
import { type EvaluatedCandidate, evaluateWithinLimits } from '../search/evaluate/index.ts';
import { type Candidate, engines, ncclEngine } from '../synth/index.ts';
import { type RuleBook, type RuleChoice, ruleBooks } from './fixed-rules/index.ts';
import { tuning } from './limits.ts';
import { type TunedSize, type TuneRequest, type TuneResult, tuneSizes } from './tune.ts';

/** What a rule chooses at one size, and its time. */
export interface RuleOutcome {
  readonly size: Bytes;
  readonly choice: RuleChoice;
  /** Undefined if the algorithm is not among the schedules, or does not support so many ranks. */
  readonly seconds: Seconds | undefined;
  /**
   * Its time divided by the tuned plan's. If the library's algorithms were tuned as well, it is below 1 by no more than
   * the tolerance.
   */
  readonly ratio: number | undefined;
  /** The ratio of the bound to its time. */
  readonly optimality: number | undefined;
}

export interface RuleComparison {
  readonly library: string;
  /** One entry per tuned size. */
  readonly outcomes: readonly RuleOutcome[];
}

/**
 * Compares with each library that has a rule for the collective, and, unless rank order must be preserved, with NCCL's
 * rings and trees.
 */
export function compareWithLibraries(request: TuneRequest, result: TuneResult): readonly RuleComparison[] {
  // Under each protocol that the tuned plans may use: others are compared under the best one.
  const machines = request.alternatives?.map((topology) => new Routes(topology)) ?? [result.routes];
  const timings = machines.map((routes) => new RuleTiming({ ...request, topology: routes.topology }, routes));
  const byRules = ruleBooks.flatMap((book) => comparisonWith(book, timings, request, result) ?? []);
  return request.collective.ordered ? byRules : [...byRules, ...comparisonWithNccl(request, result)];
}

/**
 * The better of NCCL's algorithms at each size, in the number of bulks that suits; NCCL itself chooses by times that it
 * measures.
 */
function comparisonWithNccl(request: TuneRequest, { sizes }: TuneResult): readonly RuleComparison[] {
  const own = {
    ...request,
    engine: ncclEngine.name,
    algorithm: undefined,
    parameters: {},
    chunks: undefined,
    sameBits: undefined,
    onPool: undefined,
  };
  try {
    const found = tuneSizes(own);
    const outcomes = found.sizes.map(({ plan, seconds }, index) =>
      outcomeOf({ schedule: plan.algorithm }, seconds, sizes[index]),
    );
    return [{ library: "NCCL's rings and trees", outcomes }];
  } catch (error) {
    if (error instanceof CccError && ['no-plan', 'stopped', 'limit'].includes(error.code)) return [];
    throw error;
  }
}

function outcomeOf(choice: RuleChoice, seconds: Seconds | undefined, tuned: TunedSize): RuleOutcome {
  const { size, bound } = tuned;
  if (seconds === undefined) return { size, choice, seconds, ratio: undefined, optimality: undefined };
  const ratio = tuned.seconds === 0 ? 1 : seconds / tuned.seconds;
  return { size, choice, seconds, ratio, optimality: optimality(bound, seconds) };
}

function comparisonWith(
  { library, rules, inOrder }: RuleBook,
  timings: readonly RuleTiming[],
  { collective }: TuneRequest,
  { sizes }: TuneResult,
): RuleComparison | undefined {
  const rule = (collective.ordered ? inOrder : rules)[collective.kind];
  if (rule === undefined) return undefined;
  const outcomes = sizes.map((tuned): RuleOutcome => {
    const choice = rule(collective.ranks, tuned.size);
    const times = timings.flatMap((timing) => timing.secondsOf(choice, tuned.size) ?? []);
    return outcomeOf(choice, times.length === 0 ? undefined : Math.min(...times), tuned);
  });
  return outcomes.some(({ seconds }) => seconds !== undefined) ? { library, outcomes } : undefined;
}

/** Proves each algorithm that a rule names once, and times it. */
class RuleTiming {
  private readonly request: TuneRequest;
  private readonly routes: Routes;
  private readonly known = new Map<string, EvaluatedCandidate | undefined>();

  constructor(request: TuneRequest, routes: Routes) {
    this.request = request;
    this.routes = routes;
  }

  secondsOf({ schedule, segment }: RuleChoice, size: Bytes): Seconds | undefined {
    const priced = this.named(schedule);
    if (priced === undefined) return undefined;
    const { plan } = priced.checked;
    if (segment === undefined || size <= segment) return simulate(plan, this.routes, size).seconds;
    if (schedule.startsWith('segmented-ring')) {
      // Segments are modelled as steps of the schedule: each rank's part is sent in pieces, one after the other.
      const multiple = Math.min(tuning.bulks, Math.ceil(size / plan.collective.ranks / segment));
      return simulate(lower(priced.candidate.build(multiple)), this.routes, size).seconds;
    }
    return this.inBulks(lower(priced.schedule, { bulks: 2 }), Math.ceil(size / segment), size);
  }

  private inBulks(plan: Plan, bulks: number, size: Bytes): Seconds {
    const timeOf = (simulated: number): Seconds =>
      simulate({ ...plan, bulks: simulated }, this.routes, (size * simulated) / bulks).seconds;
    if (bulks <= 2 * tuning.bulks || bulks * operationCount(plan) < 20_000) return timeOf(bulks);
    const [filled, steady] = [timeOf(tuning.bulks), timeOf(2 * tuning.bulks)];
    return steady + ((bulks - 2 * tuning.bulks) * (steady - filled)) / tuning.bulks;
  }

  private named(schedule: string): EvaluatedCandidate | undefined {
    if (!this.known.has(schedule)) this.known.set(schedule, this.prove(schedule));
    return this.known.get(schedule);
  }

  private prove(schedule: string): EvaluatedCandidate | undefined {
    const { request, routes } = this;
    if (!listShipped('schedules').includes(schedule)) return undefined;
    const candidate = this.candidateNamed(schedule);
    if (candidate === undefined) return undefined;
    const size = request.sizes[0];
    const outcome = evaluateWithinLimits(candidate, { ...request, size }, routes, Number.POSITIVE_INFINITY);
    return outcome.kind === 'priced' ? outcome : undefined;
  }

  /** The schedule in rank order, as a library without knowledge of the topology runs it. */
  private candidateNamed(algorithm: string): Candidate | undefined {
    const { request, routes } = this;
    const problem = { ...request, routes, size: request.sizes[0], algorithm, parameters: {} };
    for (const engine of engines) {
      if (engine.name !== 'library') continue;
      for (const proposal of engine.propose(problem)) {
        if (proposal.kind === 'candidate' && proposal.candidate.name === algorithm) return proposal.candidate;
      }
    }
    return undefined;
  }
}
