/**
 * All budgets of the search. The unit of work is one operation of a plan that is lowered, checked and simulated (4 to 5 µs, measured on 85
 * rows of the benchmark grid). All other work is counted in units of about the same duration and never timed, so that the same request
 * gives the same bytes on any machine. Over all work a unit took 16 µs there: packing trees takes longer than is counted (60 µs), and so do
 * bulks (15 to 43 µs) and engines that search (10 to 16 µs).
 */
import type { Effort } from '../ir/effort.ts';

/** One stage of a search; stages follow each other. */
export interface Stage {
  /** When this much work is spent, no new node is started; candidates in progress are finished, up to `maxWork`. */
  readonly startLimit: number;
  readonly maxWork: number;
  /** A node is started only if the work spent and its own estimated work together stay within this. */
  readonly room: number;
  /**
   * Minimum expected gain (as a fraction of the time) per unit of work for refining a node; a separate minimum for engines, whose outcome
   * is less certain.
   */
  readonly minGain: number;
  readonly minGainOfEngine: number;
}

/** The two stages, in units of work. */
export const stages = {
  quick: { startLimit: 20_000, maxWork: 48_000, room: 48_000, minGain: 2e-6, minGainOfEngine: 2e-6 },
  thorough: {
    startLimit: 200_000,
    maxWork: 400_000,
    room: Number.POSITIVE_INFINITY,
    minGain: 1e-8,
    minGainOfEngine: 2e-7,
  },
} as const satisfies Record<string, Stage>;

/** The stages of each effort. Larger efforts begin with the stages of smaller ones, so they find at least the same plans. */
export const budgets: Readonly<Record<Effort, readonly Stage[]>> = {
  quick: [stages.quick],
  full: [stages.quick, stages.thorough],
};

/**
 * Work limits of engines: `quick` or `thorough` per proposal, unless the engine's estimate says that it needs more; beyond `overdraft`
 * times the limit the engine is abandoned. Within one turn an engine continues with further proposals until it has done `turn` work.
 */
export const workOfEngine = { turn: 1_500, quick: 8_000, thorough: 60_000, overdraft: 1.25 } as const;
/** Assumed for engines without an estimate: lower bound over time of their best plan, and work per rank until they propose it. */
export const defaultEngineEstimate = { boundShare: 0.8, workOfRank: 100 } as const;

/** Work charged for each proposal of an engine. */
export const perProposal = 50;
/** Work charged for each candidate, in addition to its operations. */
export const perCandidate = 500;
/** Approximate work of the search for chunks of unequal size, and the maximum factor by which they speed a plan up. */
export const sizing = { work: 2_500, maxSpeedUp: 1.25 } as const;
/** Approximate minimum number of operations per transfer. */
export const operationsPerTransfer = 2;
/** How many simulated operations (operations × bulks), and how many chunks followed by the check, count as one unit of work. */
export const simulatedPerOperation = 20;
export const chunksPerOperation = 10;

/** Uncertainty of estimates: the scale of a logistic distribution of their logarithm. */
export const estimateSpread = {
  /** Estimates of engines, and of schedules that have not been lowered. */
  proposed: 0.2,
  /** Estimates for many bulks from the simulation of one or of the first few. */
  priced: 0.1,
} as const;
