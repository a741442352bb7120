/**
 * What a search may do, on one page. Work is counted in operations of a plan that are lowered, proved and simulated (4 to 5 µs each, on 85
 * rows of the grid); everything else is counted in about what takes as long, never timed, so that the same request gives the same bytes on any machine. A unit of
 * all work took 16 µs there: packing trees takes more than is counted (60 µs), and so do bulks (15 to 43 µs) and engines that search (10 to 16 µs).
 */
import type { Effort } from '../ir/effort.ts';

/** A part of a search; the parts follow each other. */
export interface Stage {
  /** After so much work nothing more is begun: what has been is finished, up to `most`. */
  readonly startLimit: number;
  readonly maxWork: number;
  /** Nor is anything begun that would be done only after so much. */
  readonly room: number;
  /** Nor anything that is expected to gain less than this part of the time for each unit of its work, nor an engine asked, of which less is known. */
  readonly minGain: number;
  readonly minGainOfEngine: number;
}

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

/** How much is done for a better plan. What a smaller budget finds a larger one has found before. */
export const budgets: Readonly<Record<Effort, readonly Stage[]>> = {
  quick: [stages.quick],
  full: [stages.quick, stages.thorough],
};

/**
 * Work that an engine may do for a proposal, asked quickly, or thoroughly and for all it knows, if it does not promise one for more; what overdraws it by a
 * quarter is given up in the middle. As long as it has done little in its turn it goes on to its next proposal.
 */
export const workOfEngine = { turn: 1_500, quick: 8_000, thorough: 60_000, overdraft: 1.25 } as const;
/** What an engine is taken to promise that says nothing: bound over time of its best plan, and the work for each rank until it is there. */
export const defaultEngineEstimate = { boundShare: 0.8, workOfRank: 100 } as const;

/** What it costs to ask an engine for a proposal. */
export const perProposal = 50;
/** What a candidate costs beside its operations. */
export const perCandidate = 500;
/** What it costs about to look for chunks of unequal size, and how many times as fast these make a plan at most. */
export const sizing = { work: 2_500, maxSpeedUp: 1.25 } as const;
/** Operations that a transfer becomes, at least about. */
export const operationsPerTransfer = 2;
/** Work that takes as long as lowering, proving and simulating one operation: operations × bulks simulated, and chunks followed. */
export const simulatedPerOperation = 20;
export const chunksPerOperation = 10;

/** How far estimates are off, as the scale of a logistic distribution of their logarithm. */
export const estimateSpread = {
  /** What engines say of themselves, and schedules before they are lowered. */
  proposed: 0.2,
  /** What one bulk, or the first bulks, tell of many. */
  priced: 0.1,
} as const;
