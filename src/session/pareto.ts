/** Finds the Pareto frontier of k-synchronous schedules between the fewest steps and the fewest rounds, as far as time allows. */
import { defaultLimits, type Limits } from '../ir/limits.ts';
import type { SolverName } from '../solver/index.ts';
import { type ProvedPlan, proveAgain } from '../verify/index.ts';
import type { CollectiveRequest } from './collectives.ts';
import { Job } from './job.ts';
import { type JobOptions, settingsOf } from './job-options.ts';
import { failureOf, type Outcome } from './outcome.ts';
import type { FoundFrontier, FoundPoint } from './pareto-job.ts';
import { runJob } from './workers/run-job.ts';

export interface ParetoOptions extends JobOptions {
  /** Largest number of chunks per shard that is tried; default: the number from which rounding up to whole rounds costs nothing any more. */
  readonly chunksUpTo?: number | undefined;
  readonly seed?: number | undefined;
  readonly solver?: SolverName | undefined;
  readonly limits?: Partial<Limits> | undefined;
}

/** The frontier: its points, the gaps between them, and whether everything below is proved impossible. */
export class Frontier implements FoundFrontier {
  readonly points: readonly FoundPoint[];
  readonly gaps: FoundFrontier['gaps'];
  readonly chunksUpTo: number;
  readonly minSteps: number;
  readonly roundsPerChunk: number;
  readonly boundReason: string;
  readonly complete: boolean;
  readonly stoppedEarly: boolean;
  readonly limit?: string;

  constructor(found: FoundFrontier) {
    this.points = found.points;
    this.gaps = found.gaps;
    this.chunksUpTo = found.chunksUpTo;
    this.minSteps = found.minSteps;
    this.roundsPerChunk = found.roundsPerChunk;
    this.boundReason = found.boundReason;
    this.complete = found.complete;
    this.stoppedEarly = found.stoppedEarly;
    if (found.limit !== undefined) this.limit = found.limit;
  }

  /** The proved plan of a point. */
  planOf({ proof }: FoundPoint): ProvedPlan {
    return proveAgain(proof);
  }
}

export type ParetoJob = Job<Frontier, Outcome<{ readonly frontier: Frontier }>>;

/**
 * Finds every trade-off between steps and rounds per chunk, each point with a proved plan and a proof that fewer rounds are impossible
 * (docs/exact.md).
 *
 * ```ts
 * const outcome = await pareto(allgather(await Machine.load('ring:4')));
 * if (outcome.ok) for (const { chunks, steps, rounds } of outcome.frontier.points) console.log(chunks, steps, rounds);
 * ```
 */
export function pareto({ machine, collective }: CollectiveRequest, options: ParetoOptions = {}): ParetoJob {
  return new Job(async ({ onBetter }) => {
    try {
      const { chunksUpTo, seed = 0, solver = 'auto' } = options;
      const limits = { ...defaultLimits, ...options.limits };
      const topology = machine.single;
      const request = { collective, topology, chunksUpTo, seed, limits };
      const frontierOf = (found: FoundFrontier): Frontier => new Frontier(found);
      // More points are better; reports come in that order.
      const costOf = ({ points }: FoundFrontier): number => -points.length;
      const settings = settingsOf(options, costOf, (found: FoundFrontier) => onBetter(frontierOf(found)));
      return { ok: true, frontier: frontierOf(await runJob('pareto', { request, solver }, settings)) };
    } catch (error) {
      return failureOf(error);
    }
  });
}
