/** What a plan's operations carry: the plan run once with numbers in place of data. */

import { inputChunks, memoryLayout } from '../../ir/collective.ts';
import { none } from '../../ir/none.ts';
import { OperationCode, type Plan, rankOfLane } from '../../ir/plan.ts';
import type { SimulatedConnections } from './connections.ts';
import { LaneCursors } from './lanes.ts';

/** Told what an operation sends or writes, slot by slot; the array is only lent. */
export type NoteCarried = (operation: number, carried: Float64Array) => void;

/**
 * Runs one bulk on channels without limit. What a reduction leaves is the number that arrived last, since all that it combines are
 * contributions to one chunk. All orders of a proved plan come to the same, and all bulks do.
 *
 * @param numberAt what a slot of a rank's input stands for; memory that nothing has written holds 0
 * @throws Error if the plan deadlocks: prove it first
 */
export function carry(
  plan: Plan,
  connections: SimulatedConnections,
  numberAt: (rank: number, slot: number) => number,
  note: NoteCarried,
): void {
  new Carrying(plan, connections, numberAt, note).run();
}

class Carrying {
  private readonly plan: Plan;
  private readonly connections: SimulatedConnections;
  private readonly note: NoteCarried;
  private readonly lanes: LaneCursors;
  private readonly memory: readonly Float64Array[];
  /** Messages of each connection that have not been taken, first to last. */
  private readonly underWay: Float64Array[][];
  private readonly waiting: Int32Array;

  constructor(
    plan: Plan,
    connections: SimulatedConnections,
    numberAt: (rank: number, slot: number) => number,
    note: NoteCarried,
  ) {
    this.plan = { ...plan, bulks: 1 };
    this.connections = connections;
    this.note = note;
    this.lanes = new LaneCursors(this.plan);
    this.memory = plan.buffers.map((_, rank) => memoryAtStart(plan, rank, numberAt));
    this.underWay = Array.from({ length: connections.count }, () => []);
    this.waiting = new Int32Array(connections.count).fill(none);
  }

  run(): void {
    for (let lane = this.lanes.nextRunnable(); lane !== undefined; lane = this.lanes.nextRunnable()) {
      for (let at = this.lanes.reach(lane); at !== none && this.perform(lane, at); at = this.lanes.reach(lane)) {
        this.lanes.complete(lane);
      }
    }
    if (this.lanes.unfinished > 0) throw new Error(`plan ${this.plan.name} deadlocks`);
  }

  /** False for a receive whose message is not there yet: its lane goes on when it is sent. */
  private perform(lane: number, operation: number): boolean {
    const { ops } = this.plan;
    const rank = rankOfLane(this.plan, lane);
    const connection = this.connections.of[operation];
    if (ops.kind[operation] === OperationCode.send) {
      const message = this.cells(rank, ops.srcBuffer, ops.srcOffset, ops.srcCount, operation).slice();
      this.note(operation, message);
      this.underWay[connection].push(message);
      const waiting = this.waiting[connection];
      this.waiting[connection] = none;
      if (waiting !== none) this.lanes.resume(waiting, none);
      return true;
    }
    const arriving =
      connection < 0
        ? this.cells(rank, ops.srcBuffer, ops.srcOffset, ops.srcCount, operation)
        : this.underWay[connection].shift();
    if (arriving === undefined) {
      this.waiting[connection] = lane;
      return false;
    }
    this.note(operation, arriving);
    this.cells(rank, ops.dstBuffer, ops.dstOffset, ops.dstCount, operation).set(arriving);
    return true;
  }

  /** An operation's source or destination as a window into the memory of its rank. */
  private cells(
    rank: number,
    buffers: Int32Array,
    offsets: Int32Array,
    counts: Int32Array,
    operation: number,
  ): Float64Array {
    const layout = memoryLayout(this.plan.collective, rank);
    const first = [layout.input, layout.output, layout.cells][buffers[operation]] + offsets[operation];
    return this.memory[rank].subarray(first, first + counts[operation]);
  }
}

function memoryAtStart(
  { collective, buffers }: Plan,
  rank: number,
  numberAt: (rank: number, slot: number) => number,
): Float64Array {
  const layout = memoryLayout(collective, rank);
  const memory = new Float64Array(layout.cells + buffers[rank].scratch);
  for (let slot = 0; slot < inputChunks(collective, rank); slot++) memory[layout.input + slot] = numberAt(rank, slot);
  return memory;
}
