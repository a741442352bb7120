/**
 * Lowers a schedule to a plan: per-rank programs with lanes, real buffers and the waits that keep them race-free. What a
 * schedule means is not judged here: a wrong schedule becomes a plan that is wrong in the same way, for the verifier to find.
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

/** Copies of scratch unless told otherwise. */
export const defaultScratchCopies = 4;

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
 * deadlock on channels that buffer a message. Where all ranks do the same, shifted, so do their programs.
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

/** Lowers the first so many ranks. @param chunks slices end where shards of so many chunks do, if it is given */
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

/** A builder with the programs of ranks, and how much scratch each of them needs. */
type Programs = readonly [PlanBuilder, readonly number[]];

/** The programs of ranks between whose operations there are no hazards; undefined if there may be some. */
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

/** The programs of ranks, whatever they do. */
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
