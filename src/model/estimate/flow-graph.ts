/** The dependency graph of a schedule's messages and reductions, derived from the slots that they read and write. */
import { IntColumn } from '../../ir/column.ts';
import { type Schedule, type Steps, scheduleBuffers } from '../../ir/schedule.ts';

/**
 * Each transfer t of the T transfers of a schedule gives two nodes: node T + t is its message, and node t is its end, which happens when the data has
 * been copied or reduced at the destination. The graph has read-after-write dependencies only: most write-after-read and write-after-write hazards
 * disappear in the lowering, which can place data in other slots.
 */
export interface FlowGraph {
  /** Nodes that wait for the end of transfer t are `waiting[first[t]] … waiting[first[t + 1] − 1]`. */
  readonly first: Int32Array;
  readonly waiting: Int32Array;
  /** The next message of the same connection, or −1: messages of a connection keep their order. */
  readonly next: Int32Array;
  /**
   * By node: the number of events that it waits for. A message waits for the writers of its source and for the previous message of its connection; an
   * end waits for its own message and, if it reduces, for the writers of its destination.
   */
  readonly waits: Int32Array;
  /** Chunks of each transfer. */
  readonly chunks: Float64Array;
}

/** The graph is built only if all ranks together have at most this many chunks of memory, since it follows every one of them. */
const mostSlots = 2 ** 23;

/** Builds the graph. Returns undefined if the schedule uses more than `mostSlots` chunks of memory. */
export function flowGraph({ steps, collective: { ranks } }: Schedule): FlowGraph | undefined {
  const builder = new GraphBuilder(steps);
  if (builder.slots * ranks > mostSlots) return undefined;
  return builder.build(ranks);
}

class GraphBuilder {
  readonly slots: number;
  private readonly steps: Steps;
  /** The first slot of each buffer within the memory of a rank. */
  private readonly starts: readonly number[];
  private readonly writer = new IntColumn();
  private readonly waiter = new IntColumn();
  private readonly waits: Int32Array;
  /** By transfer: the last node that was recorded as waiting for it, so that no dependency is recorded twice. */
  private readonly notedFor: Int32Array;

  constructor(steps: Steps) {
    const sizes = bufferSizes(steps);
    this.steps = steps;
    this.starts = sizes.map((_, buffer) => sizes.slice(0, buffer).reduce((sum, size) => sum + size, 0));
    this.slots = sizes.reduce((sum, size) => sum + size, 0);
    this.waits = new Int32Array(2 * steps.transferCount);
    this.notedFor = new Int32Array(steps.transferCount).fill(-1);
  }

  build(ranks: number): FlowGraph {
    const { steps, waits } = this;
    const { transferCount, stepStart, stepCount, source, destination, from, fromOffset, to, toOffset } = steps;
    const written = new Int32Array(ranks * this.slots).fill(-1);
    for (let step = 0; step < stepCount; step++) {
      const [begin, end] = [stepStart[step], stepStart[step + 1]];
      // All transfers of a step read the memory as it was before the step.
      for (let t = begin; t < end; t++) this.note(transferCount + t, t, source[t], from, fromOffset, written);
      for (let t = begin; t < end; t++) {
        waits[t]++;
        if (steps.isReduce(t)) this.note(t, t, destination[t], to, toOffset, written);
        this.write(t, written);
      }
    }
    return { ...this.sorted(), next: this.connected(), waits, chunks: chunksOf(steps) };
  }

  /** Makes the node wait for the last writer of every slot that the transfer accesses in the given buffers. */
  private note(
    node: number,
    t: number,
    rank: number,
    buffer: Int32Array,
    offset: Int32Array,
    written: Int32Array,
  ): void {
    const { pieceStart, count } = this.steps;
    const { notedFor } = this;
    for (let p = pieceStart[t]; p < pieceStart[t + 1]; p++) {
      const start = rank * this.slots + this.starts[buffer[p]] + offset[p];
      for (let slot = start; slot < start + count[p]; slot++) {
        const writer = written[slot];
        if (writer < 0 || notedFor[writer] === node) continue;
        notedFor[writer] = node;
        this.writer.push(writer);
        this.waiter.push(node);
        this.waits[node]++;
      }
    }
  }

  private write(t: number, written: Int32Array): void {
    const { pieceStart, count, destination, to, toOffset } = this.steps;
    for (let p = pieceStart[t]; p < pieceStart[t + 1]; p++) {
      const start = destination[t] * this.slots + this.starts[to[p]] + toOffset[p];
      written.fill(t, start, start + count[p]);
    }
  }

  /** Groups the recorded dependencies by the transfer that is waited for (compressed sparse rows). */
  private sorted(): Pick<FlowGraph, 'first' | 'waiting'> {
    const [writers, waiters] = [this.writer.view(), this.waiter.view()];
    const first = new Int32Array(this.steps.transferCount + 1);
    for (const writer of writers) first[writer + 1]++;
    for (let t = 1; t < first.length; t++) first[t] += first[t - 1];
    const at = first.slice();
    const waiting = new Int32Array(waiters.length);
    writers.forEach((writer, edge) => {
      waiting[at[writer]++] = waiters[edge];
    });
    return { first, waiting };
  }

  private connected(): Int32Array {
    const { transferCount, source, destination, channel } = this.steps;
    const next = new Int32Array(transferCount).fill(-1);
    const last = new Map<string, number>();
    for (let t = 0; t < transferCount; t++) {
      if (source[t] === destination[t]) continue;
      const connection = `${source[t]} ${destination[t]} ${channel[t]}`;
      const before = last.get(connection);
      last.set(connection, t);
      if (before === undefined) continue;
      next[before] = t;
      this.waits[transferCount + t]++;
    }
    return next;
  }
}

/** The size in chunks of each buffer: the maximum over all ranks. */
function bufferSizes({ from, fromOffset, to, toOffset, count }: Steps): readonly number[] {
  const sizes = scheduleBuffers.map(() => 0);
  for (let p = 0; p < count.length; p++) {
    sizes[from[p]] = Math.max(sizes[from[p]], fromOffset[p] + count[p]);
    sizes[to[p]] = Math.max(sizes[to[p]], toOffset[p] + count[p]);
  }
  return sizes;
}

function chunksOf({ transferCount, pieceStart, count }: Steps): Float64Array {
  const chunks = new Float64Array(transferCount);
  for (let t = 0; t < transferCount; t++) {
    for (let p = pieceStart[t]; p < pieceStart[t + 1]; p++) chunks[t] += count[p];
  }
  return chunks;
}
