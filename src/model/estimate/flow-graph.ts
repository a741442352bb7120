/** The dependency graph of a schedule's messages and reductions, derived from the slots that they read and write. */
import { IntColumn } from '../../ir/column.ts';
import { type Schedule, type Steps, scheduleBuffers } from '../../ir/schedule.ts';

/**
 * Nodes are the ends of transfers, t = 0 … T − 1, when a copy has come or what came has been reduced, and their messages, T + t. Hazards of
 * writing are left out: lowering gets around most of them.
 */
export interface FlowGraph {
  /** Nodes that wait for the end of transfer t are `waiting[first[t]] … waiting[first[t + 1] − 1]`. */
  readonly first: Int32Array;
  readonly waiting: Int32Array;
  /** The next message of the same connection, or −1: messages of a connection keep their order. */
  readonly next: Int32Array;
  /** By node: how many ends it waits for; a message for the one before it as well, an end for its own message. */
  readonly waits: Int32Array;
  /** Chunks of each transfer. */
  readonly chunks: Float64Array;
}

/** Chunks of memory of all ranks together beyond which their times are not followed one by one. */
const mostSlots = 2 ** 23;

/** Undefined where there are too many chunks to follow. */
export function flowGraph({ steps, collective: { ranks } }: Schedule): FlowGraph | undefined {
  const builder = new GraphBuilder(steps);
  if (builder.slots * ranks > mostSlots) return undefined;
  return builder.build(ranks);
}

class GraphBuilder {
  readonly slots: number;
  private readonly steps: Steps;
  /** Where each buffer begins in the memory of a rank. */
  private readonly starts: readonly number[];
  private readonly writer = new IntColumn();
  private readonly waiter = new IntColumn();
  private readonly waits: Int32Array;
  /** The last node for which a transfer was noted as one that it waits for. */
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
      // All is read before anything is written.
      for (let t = begin; t < end; t++) this.note(transferCount + t, t, source[t], from, fromOffset, written);
      for (let t = begin; t < end; t++) {
        waits[t]++;
        if (steps.isReduce(t)) this.note(t, t, destination[t], to, toOffset, written);
        this.write(t, written);
      }
    }
    return { ...this.sorted(), next: this.connected(), waits, chunks: chunksOf(steps) };
  }

  /** The node waits for whoever wrote what its transfer finds in the slots of its pieces. */
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

  /** Who waits, by whom for. */
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

/** Chunks of each buffer that are used at any rank. */
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
