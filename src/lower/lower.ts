/**
 * Lowers a schedule to a plan: per-rank programs with lanes, actual buffers, and the waits that exclude races. Lowering does not judge whether the
 * schedule is right: a wrong schedule becomes a plan that is wrong in the same way, which the verifier finds.
 */
import { inputChunks, outputChunks } from '../ir/collective.ts';
import { compactPlan } from '../ir/compact.ts';
import { expandCompact } from '../ir/expand.ts';
import { never } from '../ir/none.ts';
import { type Plan, PlanBuilder, type ProgramBuffers } from '../ir/plan.ts';
import type { Schedule, Steps } from '../ir/schedule.ts';
import { ofFirstRank } from './first-rank.ts';
import { inLargestUnits } from './memory/grain.ts';
import { checkRanges, readRanges, writeRanges } from './memory/pieces.ts';
import { stepNumbers, stepsWithChains, transfersByRank } from './order/step-order.ts';
import { movesPlaces } from './places.ts';
import { RankProgram } from './program.ts';
import { lowerRank } from './rank-lowering.ts';
import type { ScheduleFacts } from './schedule-facts.ts';
import { HazardFreeLowering, mayLackHazards } from './without-hazards.ts';

/** Default for the max number of copies of scratch. */
export const defaultScratchCopies = 4;

export interface LowerOptions {
  /** Equal slices of the message that pass through the plan in turn; 1 by default. */
  readonly bulks?: number;
  /**
   * Max number of copies of scratch, which is how many bulks may be in progress on a rank at once. The plan has fewer copies if it has fewer bulks or
   * no rank uses scratch. A copy holds only the share of one bulk, so that all copies together never exceed the scratch of a plan with a single bulk.
   */
  readonly scratchPerBulk?: number;
  /** The plan's name; by default the schedule's. */
  readonly name?: string;
}

/**
 * Lowers a schedule to a plan.
 *
 * On each rank the plan has one lane per connection end and one for local operations. Messages whose pieces are not contiguous in memory are packed
 * through scratch. If the schedule is right, the plan has no race on unbounded connections, and no deadlock on connections that buffer at least one
 * message. If all ranks of an allgather do the same, shifted, so do their programs.
 *
 * @throws CccError 'schedule' for transfers of ranks or chunks that do not exist
 */
export function lower(schedule: Schedule, options: LowerOptions = {}): Plan {
  const { collective, steps } = schedule;
  const { shape } = steps;
  if (shape === undefined || collective.kind !== 'allgather' || collective.counts !== undefined) {
    return lowerRanks(schedule, options, collective.ranks, undefined);
  }
  const first = lowerRanks(ofFirstRank(schedule), options, 1, collective.chunks);
  return { ...expandCompact(compactPlan(first, shape)), rounds: claimedRounds(steps) };
}

/** Lowers the ranks 0 … `ranks` − 1. @param chunks the chunks of a shard beyond which no slice may extend; undefined if slices may have any extent */
function lowerRanks(schedule: Schedule, options: LowerOptions, ranks: number, chunks: number | undefined): Plan {
  const { collective, steps } = schedule;
  checkRanges(schedule);
  const bulks = options.bulks ?? 1;
  const copies = Math.min(bulks, options.scratchPerBulk ?? defaultScratchCopies);
  const { schedule: coarse, grain } = inLargestUnits(schedule);
  const shard = chunks === undefined ? never : chunks / grain;
  const facts: ScheduleFacts = {
    schedule: coarse,
    grain,
    shard,
    reads: readRanges(coarse.steps, shard),
    writes: writeRanges(coarse.steps, shard),
    movesPlaces: movesPlaces(coarse),
    stepOf: stepNumbers(steps),
    chained: stepsWithChains(steps, collective.ranks),
    bulks,
    scratchPerBulk: copies,
  };
  const own = transfersByRank(steps, collective.ranks).slice(0, ranks);
  const [builder, scratch] = directly(facts, own) ?? inTurn(facts, own);
  const buffers: ProgramBuffers[] = scratch.map((used, rank) => ({
    input: inputChunks(collective, rank),
    output: outputChunks(collective, rank),
    scratch: used,
  }));
  const scratchPerBulk = buffers.some(({ scratch }) => scratch > 0) ? copies : 1;
  const name = options.name ?? schedule.name;
  const rounds = claimedRounds(steps);
  const turns = schedule.inTurn === true ? { inTurn: true as const } : {};
  return builder.build({ name, collective, bulks, scratchPerBulk, buffers, rounds, ...turns });
}

/** A builder that holds the programs of the ranks, and the chunks of scratch that each rank needs. */
type Programs = readonly [PlanBuilder, readonly number[]];

/** Lowers ranks by the fast path for schedules without hazards; undefined if there may be some. */
function directly(facts: ScheduleFacts, transfers: readonly Int32Array[]): Programs | undefined {
  if (!mayLackHazards(facts)) return undefined;
  const builder = new PlanBuilder();
  const lowering = new HazardFreeLowering(facts, builder);
  const scratch: number[] = [];
  for (const [rank, own] of transfers.entries()) {
    const used = lowering.lowerRank(rank, own);
    if (used === undefined) return undefined;
    scratch.push(used);
  }
  return [builder, scratch];
}

/** Lowers ranks by the general path. */
function inTurn(facts: ScheduleFacts, transfers: readonly Int32Array[]): Programs {
  const builder = new PlanBuilder();
  const { inStep, sendsWait } = facts.schedule;
  const program = new RankProgram(inStep === true || sendsWait === true);
  return [builder, transfers.map((own, rank) => lowerRank(facts, rank, own, program, builder))];
}

/** Claimed rounds by step number of the plan, in which step 0 moves nothing; empty if no step claims any. */
function claimedRounds(steps: Steps): number[] {
  return steps.rounds.some((rounds) => rounds > 0) ? [0, ...steps.rounds] : [];
}
