/**
 * Lowers a schedule to a plan: per-rank programs with lanes, real buffers and the waits that keep them race-free. What a
 * schedule means is not judged here: a wrong schedule becomes a plan that is wrong in the same way, for the verifier to find.
 */
import { inputChunks, outputChunks } from '../ir/collective.ts';
import { type Plan, PlanBuilder, type ProgramBuffers } from '../ir/plan.ts';
import type { Schedule, Steps } from '../ir/schedule.ts';
import { inLargestUnits } from './grain.ts';
import { checkRanges, readRanges, writeRanges } from './pieces.ts';
import { Program } from './program.ts';
import { lowerRank } from './rank-lowering.ts';
import type { ScheduleFacts } from './schedule-facts.ts';
import { stepNumbers, stepsWithChains, transfersByRank } from './step-order.ts';

/** Copies of scratch unless told otherwise. */
const usualCopies = 4;

export interface LowerOptions {
  /** Equal slices of the message that pass through the plan in turn; 1 by default. */
  readonly bulks?: number;
  /**
   * Copies of scratch at most, so that so many bulks may be under way on a rank at once; fewer where there are fewer bulks or
   * no rank uses scratch. Each copy holds a slice's share, so together they are never more than the scratch of a single bulk.
   */
  readonly scratchPerBulk?: number;
  /** The plan's name; by default the schedule's. */
  readonly name?: string;
}

/**
 * The plan of a schedule.
 *
 * It has one lane per connection end and one for local operations on each rank. Messages whose pieces are not contiguous
 * in memory are packed through scratch. If the schedule is right, the plan has no race on unbounded channels and no
 * deadlock on channels that buffer a message.
 *
 * @throws CccError 'schedule' for transfers of ranks or chunks that do not exist
 */
export function lower(schedule: Schedule, options: LowerOptions = {}): Plan {
  const { collective, steps } = schedule;
  const { ranks } = collective;
  checkRanges(schedule);
  const bulks = options.bulks ?? 1;
  const copies = Math.min(bulks, options.scratchPerBulk ?? usualCopies);
  const { schedule: coarse, grain } = inLargestUnits(schedule);
  const facts: ScheduleFacts = {
    schedule: coarse,
    grain,
    reads: readRanges(coarse.steps),
    writes: writeRanges(coarse.steps),
    stepOf: stepNumbers(steps),
    chained: stepsWithChains(steps, ranks),
    bulks,
    scratchPerBulk: copies,
  };
  const builder = new PlanBuilder();
  const program = new Program(schedule.inStep === true);
  const buffers: ProgramBuffers[] = transfersByRank(steps, ranks).map((transfers, rank) => ({
    input: inputChunks(collective, rank),
    output: outputChunks(collective, rank),
    scratch: lowerRank(facts, rank, transfers, program, builder),
  }));
  const scratchPerBulk = buffers.some(({ scratch }) => scratch > 0) ? copies : 1;
  const name = options.name ?? schedule.name;
  return builder.build({ name, collective, bulks, scratchPerBulk, buffers, rounds: claimedRounds(steps) });
}

/** Claimed rounds by step number of the plan, in which step 0 moves nothing; empty if no step claims any. */
function claimedRounds(steps: Steps): number[] {
  return steps.rounds.some((rounds) => rounds > 0) ? [0, ...steps.rounds] : [];
}
