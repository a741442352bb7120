/**
 * A fast path for the most common case: an allgather in which every rank writes each slot of `data` at most once, never one that holds its own input,
 * and reads a slot only in later steps. Then nothing is overwritten that may still be read, every slot lives in the output, and operations wait only
 * for data to arrive. The result equals that of `lowerRank` (test/lower compares the two) in a fraction of the time: there are no hazards to analyse,
 * and since receives wait for nothing, no wait implies another.
 */
import { inputChunks } from '../ir/collective.ts';
import { isConstant } from '../ir/column.ts';
import { none } from '../ir/none.ts';
import { OperationCode, type PlanBuilder } from '../ir/plan.ts';
import { assignLanes, localLane } from './lanes.ts';
import { bufferCodes } from './memory/buffer-codes.ts';
import { BufferCode } from './memory/pieces.ts';
import type { ScheduleFacts } from './schedule-facts.ts';

const { copy, send, recv } = OperationCode;
const { input: inInput, output: inOutput, scratch: inScratch } = bufferCodes;
/** Max lanes of a rank on this path: the table of what each lane knows about each other one grows with the square. */
const mostLanes = 64;

/** Whether a schedule may be of this kind. Which slots ranks read and write is checked while they are lowered. */
export function mayLackHazards({ schedule, shard, bulks, scratchPerBulk }: ScheduleFacts): boolean {
  const { collective, steps, inStep, sendsWait } = schedule;
  return (
    collective.kind === 'allgather' &&
    collective.counts === undefined &&
    inStep !== true &&
    sendsWait !== true &&
    steps.nanoseconds === undefined &&
    shard > collective.ranks * collective.chunks &&
    bulks === scratchPerBulk &&
    isConstant(steps.kind, 0) &&
    isConstant(steps.from, BufferCode.data) &&
    isConstant(steps.to, BufferCode.data)
  );
}

/** Lowers the ranks of a schedule without hazards into a plan, one after the other. */
export class HazardFreeLowering {
  private readonly facts: ScheduleFacts;
  private readonly builder: PlanBuilder;
  private readonly shard: number;
  private rank = 0;
  private transfers: Int32Array = new Int32Array(0);
  private laneOf: Int32Array = this.transfers;
  private lanes = 0;
  /** By lane, its handle in the builder (−1 before its first operation), and the number of its operations so far. */
  private readonly handle = new Int32Array(mostLanes);
  private readonly length = new Int32Array(mostLanes);
  /** By waiting lane and awaited lane: the index of the last operation of the awaited lane that the waiting lane knows to be complete. */
  private readonly known = new Int32Array(mostLanes * mostLanes);
  /** By slot: the operation that has written it (−1 for none), the lane of that operation, and its index there. */
  private readonly writer: Int32Array;
  private readonly writerLane: Int32Array;
  private readonly writerIndex: Int32Array;
  /** The lanes that the next operation must wait for and, by lane, the slot that the last of these operations has written. */
  private readonly asked = new Int32Array(mostLanes);
  private askedCount = 0;
  private readonly slotAsked = new Int32Array(mostLanes);
  private scratch = 0;

  constructor(facts: ScheduleFacts, builder: PlanBuilder) {
    const { collective } = facts.schedule;
    const slots = collective.ranks * collective.chunks;
    this.facts = facts;
    this.builder = builder;
    this.shard = collective.chunks;
    this.writer = new Int32Array(slots);
    this.writerLane = new Int32Array(slots);
    this.writerIndex = new Int32Array(slots);
  }

  /** Lowers one rank. Returns the chunks of scratch that it needs; undefined if the schedule has hazards after all. The plan is then unusable. */
  lowerRank(rank: number, transfers: Int32Array): number | undefined {
    const { schedule, stepOf, grain } = this.facts;
    const { steps, collective } = schedule;
    const { count, laneOf } = assignLanes(steps, rank, transfers, collective.ranks);
    if (count > mostLanes) return undefined;
    this.rank = rank;
    this.transfers = transfers;
    this.lanes = count;
    this.laneOf = laneOf;
    this.handle.fill(-1);
    this.length.fill(0);
    this.known.fill(-1);
    this.writer.fill(-1);
    this.scratch = 0;
    if (!collective.inPlace) {
      const shard = rank * this.shard;
      this.add(copy, localLane, 0, -1, inInput, 0, inOutput, shard, inputChunks(collective, rank));
    }
    for (let from = 0; from < transfers.length; ) {
      const step = stepOf[transfers[from]];
      let to = from + 1;
      while (to < transfers.length && stepOf[transfers[to]] === step) to++;
      for (let at = from; at < to; at++) {
        if (steps.source[transfers[at]] === rank && !this.send(at, step)) return undefined;
      }
      for (let at = from; at < to; at++) {
        if (steps.source[transfers[at]] !== rank && !this.receive(at, step)) return undefined;
      }
      from = to;
    }
    return this.scratch * grain;
  }

  /** Lowers the send of a transfer. Returns false if the transfer is local, or reads slots that are not written before the step. */
  private send(at: number, step: number): boolean {
    const { reads, schedule } = this.facts;
    const transfer = this.transfers[at];
    const lane = this.laneOf[at];
    if (schedule.steps.destination[transfer] === this.rank) return false;
    const [first, end] = [reads.first[transfer], reads.first[transfer + 1]];
    const isPacked = end - first > 1;
    const start = this.scratch;
    for (let r = first; r < end; r++) {
      const count = reads.count[r];
      const own = reads.offset[r] - this.rank * this.shard;
      const isOwn = own >= 0 && own + count <= this.shard;
      if (!isOwn && !this.ask(reads.offset[r], count)) return false;
      const fromInput = isOwn && !schedule.collective.inPlace;
      const [buffer, offset] = fromInput ? [inInput, own] : [inOutput, reads.offset[r]];
      if (isPacked) this.add(copy, lane, step, transfer, buffer, offset, inScratch, this.scratch, count);
      else this.add(send, lane, step, transfer, buffer, offset, none, 0, count);
      if (isPacked) this.scratch += count;
    }
    if (isPacked) this.add(send, lane, step, transfer, inScratch, start, none, 0, this.scratch - start);
    return true;
  }

  /** Lowers the receive of a transfer. Returns false if it writes a slot that has been written before or that holds the input of the rank. */
  private receive(at: number, step: number): boolean {
    const { writes } = this.facts;
    const transfer = this.transfers[at];
    const lane = this.laneOf[at];
    const [first, end] = [writes.first[transfer], writes.first[transfer + 1]];
    const isPacked = end - first > 1;
    let from = this.scratch;
    if (isPacked) {
      for (let r = first; r < end; r++) this.scratch += writes.count[r];
      this.add(recv, lane, step, transfer, none, 0, inScratch, from, this.scratch - from);
    }
    for (let r = first; r < end; r++) {
      const [offset, count] = [writes.offset[r], writes.count[r]];
      const writer = isPacked
        ? this.add(copy, lane, step, transfer, inScratch, from, inOutput, offset, count)
        : this.add(recv, lane, step, transfer, none, 0, inOutput, offset, count);
      from += count;
      for (let slot = offset; slot < offset + count; slot++) {
        if (this.writer[slot] >= 0 || this.startsAt(slot)) return false;
        this.writer[slot] = writer;
        this.writerLane[slot] = lane;
        this.writerIndex[slot] = this.length[lane] - 1;
      }
    }
    return true;
  }

  private startsAt(slot: number): boolean {
    return slot >= this.rank * this.shard && slot < (this.rank + 1) * this.shard;
  }

  /** Makes the next operation wait for the operations that have written these slots. Returns false if some slot has not been written. */
  private ask(offset: number, count: number): boolean {
    const { writer, writerLane, asked, slotAsked } = this;
    for (let slot = offset; slot < offset + count; slot++) {
      if (writer[slot] < 0) return false;
      const lane = writerLane[slot];
      let at = 0;
      while (at < this.askedCount && asked[at] !== lane) at++;
      if (at === this.askedCount) asked[this.askedCount++] = lane;
      else if (writer[slotAsked[lane]] >= writer[slot]) continue;
      slotAsked[lane] = slot;
    }
    return true;
  }

  /** Appends an operation to its lane, with those of the requested waits that are not known to be complete. Returns its handle. */
  private add(
    kind: number,
    lane: number,
    step: number,
    transfer: number,
    srcBuffer: number,
    srcOffset: number,
    dstBuffer: number,
    dstOffset: number,
    count: number,
  ): number {
    const { builder } = this;
    const { grain, schedule } = this.facts;
    const { source, destination, channel, origin, origins } = schedule.steps;
    if (this.handle[lane] < 0) this.handle[lane] = builder.openLane(this.rank, this.opened());
    this.length[lane]++;
    const number = builder.addRow(this.handle[lane], {
      kind,
      peer: kind === copy ? -1 : kind === send ? destination[transfer] : source[transfer],
      channel: kind === copy ? 0 : channel[transfer],
      srcBuffer,
      srcOffset: srcOffset * grain,
      srcCount: srcBuffer === none ? 0 : count * grain,
      dstBuffer,
      dstOffset: dstOffset * grain,
      dstCount: dstBuffer === none ? 0 : count * grain,
      receivedFirst: 0,
      step,
      origin: transfer < 0 ? undefined : origins[origin[transfer]],
    });
    if (this.askedCount > 0) this.wait(number, lane);
    return number;
  }

  /** The number of lanes that have operations, which is the ID of the next lane. */
  private opened(): number {
    let opened = 0;
    for (let lane = 0; lane < this.lanes; lane++) if (this.length[lane] > 0) opened++;
    return opened;
  }

  /** Adds the waits of an operation, those for earlier operations first. */
  private wait(operation: number, lane: number): void {
    const { asked, slotAsked, known, writer, writerIndex } = this;
    let needed = 0;
    for (let at = 0; at < this.askedCount; at++) {
      const from = asked[at];
      const slot = slotAsked[from];
      if (known[lane * mostLanes + from] >= writerIndex[slot]) continue;
      known[lane * mostLanes + from] = writerIndex[slot];
      let to = needed++;
      for (; to > 0 && writer[slotAsked[asked[to - 1]]] > writer[slot]; to--) asked[to] = asked[to - 1];
      asked[to] = from;
    }
    for (let at = 0; at < needed; at++) this.builder.wait(operation, writer[slotAsked[asked[at]]]);
    this.askedCount = 0;
  }
}
