/** Whether all ranks of a full plan run one program, shifted: every entry of its tables is looked at. */
import { type CompactPlan, shiftedShard } from '../ir/compact.ts';
import { type Plan, planBuffers } from '../ir/plan.ts';
import type { TranslationGroup } from '../ir/translation-group.ts';

/** True if the plan is what the program, rank 0's, says of every rank (`CompactPlan`); the program must be in range. */
export function allRun(plan: Plan, program: CompactPlan, group: TranslationGroup): boolean {
  const { ops, buffers } = program;
  const lanes = program.laneId.length;
  const operations = ops.kind.length;
  const source = new ShiftedSlots(program, ops.srcBuffer, ops.srcOffset);
  const target = new ShiftedSlots(program, ops.dstBuffer, ops.dstOffset);
  for (let rank = 0; rank < group.order; rank++) {
    const images = group.images(rank);
    const own = plan.buffers[rank];
    const same =
      plan.firstLane[rank] === rank * lanes &&
      own.input === buffers.input &&
      own.output === buffers.output &&
      own.scratch === buffers.scratch &&
      isCopy(plan.laneId, program.laneId, rank * lanes, 0) &&
      isCopy(plan.firstOp, program.firstOp, rank * lanes, rank * operations) &&
      areCopies(plan, program, rank) &&
      isShifted(plan.ops.peer, ops.peer, rank * operations, images) &&
      source.areAt(plan.ops.srcOffset, rank * operations, images) &&
      target.areAt(plan.ops.dstOffset, rank * operations, images);
    if (!same) return false;
  }
  return true;
}

/** What is the same in all programs, and what counts operations from the first of the plan. */
function areCopies(plan: Plan, { ops }: CompactPlan, rank: number): boolean {
  const operations = ops.kind.length;
  const waits = ops.afterOp.length;
  const all = plan.ops;
  const first = rank * operations;
  return (
    isCopy(all.kind, ops.kind, first, 0) &&
    isCopy(all.channel, ops.channel, first, 0) &&
    isCopy(all.srcBuffer, ops.srcBuffer, first, 0) &&
    isCopy(all.srcCount, ops.srcCount, first, 0) &&
    isCopy(all.dstBuffer, ops.dstBuffer, first, 0) &&
    isCopy(all.dstCount, ops.dstCount, first, 0) &&
    isCopy(all.receivedFirst, ops.receivedFirst, first, 0) &&
    isCopy(all.step, ops.step, first, 0) &&
    isCopy(all.relay, ops.relay, first, 0) &&
    isCopy(all.firstAfter, ops.firstAfter, first, rank * waits) &&
    isCopy(all.afterOp, ops.afterOp, rank * waits, first) &&
    isCopy(all.afterBulks, ops.afterBulks, rank * waits, 0)
  );
}

/** Whether the entries of a table from `at` on are those of another, each greater by so much. */
function isCopy(table: Int32Array, original: Int32Array, at: number, by: number): boolean {
  for (let i = 0; i < original.length; i++) if (table[at + i] !== original[i] + by) return false;
  return true;
}

/** Likewise for ranks, each shifted; −1 stays. */
function isShifted(table: Int32Array, original: Int32Array, at: number, images: Int32Array): boolean {
  for (let i = 0; i < original.length; i++) {
    if (table[at + i] !== (original[i] < 0 ? original[i] : images[original[i]])) return false;
  }
  return true;
}

/** Slots of a program, and where they are on other ranks. */
class ShiftedSlots {
  /** Of each operation the shard that is shifted, −1 if its slots are the same on all ranks, and how far the slot is from its start. */
  private readonly shard: Int32Array;
  private readonly rest: Int32Array;
  /** Chunks of a shard. */
  private readonly chunks: Int32Array;

  constructor(program: CompactPlan, buffer: Int32Array, offset: Int32Array) {
    const chunksOf = planBuffers.map((name) => shiftedShard(program, name));
    this.shard = new Int32Array(offset.length).fill(-1);
    this.rest = offset.slice();
    this.chunks = new Int32Array(offset.length);
    for (let o = 0; o < offset.length; o++) {
      const chunks = chunksOf[buffer[o]];
      if (chunks === undefined) continue;
      this.shard[o] = Math.floor(offset[o] / chunks);
      this.rest[o] = offset[o] % chunks;
      this.chunks[o] = chunks;
    }
  }

  areAt(offsets: Int32Array, at: number, images: Int32Array): boolean {
    const { shard, rest, chunks } = this;
    for (let o = 0; o < shard.length; o++) {
      const start = shard[o] < 0 ? 0 : images[shard[o]] * chunks[o];
      if (offsets[at + o] !== start + rest[o]) return false;
    }
    return true;
  }
}
