/**
 * How many average chunks an operation moves. Where all shards have the same size that is its count. With counts the chunks of
 * different shards weigh differently, and what a slot holds depends on what was written there: so the plan is run once with
 * weights in place of data. All orders of a proved plan come to the same, and all bulks do.
 */
import { type Collective, inputChunks, memoryLayout, shardOf } from '../ir/collective.ts';
import { OperationCode, operationCount, type Plan, rankOfLane } from '../ir/plan.ts';
import { chunkWeights } from '../ir/shards.ts';
import type { Connections } from './connections.ts';
import { Lanes } from './lanes.ts';
import { nothing } from './trace.ts';

/** Average chunks (M / `messageChunks` each) by operation. */
export interface Weights {
  /** What a send puts on its way; 0 for others. */
  readonly sent: Int32Array | Float64Array;
  /** What arrives, is copied or is reduced; 0 for sends. */
  readonly written: Int32Array | Float64Array;
}

/** The weights of a plan's operations in one bulk. @throws Error if the plan deadlocks: prove it first */
export function weigh(plan: Plan, connections: Connections): Weights {
  const byShard = chunkWeights(plan.collective);
  if (byShard === undefined) return { sent: plan.ops.srcCount, written: plan.ops.dstCount };
  return new Weighing(plan, connections, byShard).run();
}

/** A run of one bulk on channels without limit. */
class Weighing {
  private readonly plan: Plan;
  private readonly connections: Connections;
  private readonly lanes: Lanes;
  /** What each memory cell of each rank holds, as a weight. */
  private readonly memory: readonly Float64Array[];
  /** Messages of each connection that have not been taken, first to last. */
  private readonly underWay: Float64Array[][];
  private readonly waiting: Int32Array;
  private readonly weights: { readonly sent: Float64Array; readonly written: Float64Array };

  constructor(plan: Plan, connections: Connections, byShard: Float64Array) {
    const operations = operationCount(plan);
    this.plan = { ...plan, bulks: 1 };
    this.connections = connections;
    this.lanes = new Lanes(this.plan);
    this.memory = plan.buffers.map(({ scratch }, rank) => memoryAtStart(plan.collective, rank, scratch, byShard));
    this.underWay = Array.from({ length: connections.count }, () => []);
    this.waiting = new Int32Array(connections.count).fill(nothing);
    this.weights = { sent: new Float64Array(operations), written: new Float64Array(operations) };
  }

  run(): Weights {
    for (let lane = this.lanes.nextRunnable(); lane !== undefined; lane = this.lanes.nextRunnable()) {
      for (let at = this.lanes.reach(lane); at !== nothing && this.perform(lane, at); at = this.lanes.reach(lane)) {
        this.lanes.complete(lane);
      }
    }
    if (this.lanes.unfinished > 0) throw new Error(`plan ${this.plan.name} deadlocks`);
    return this.weights;
  }

  /** False for a receive whose message is not there yet: its lane goes on when it is sent. */
  private perform(lane: number, operation: number): boolean {
    const { ops } = this.plan;
    const rank = rankOfLane(this.plan, lane);
    const connection = this.connections.of[operation];
    if (ops.kind[operation] === OperationCode.send) {
      const message = this.cells(rank, ops.srcBuffer, ops.srcOffset, ops.srcCount, operation).slice();
      this.weights.sent[operation] = sum(message);
      this.underWay[connection].push(message);
      const waiting = this.waiting[connection];
      this.waiting[connection] = nothing;
      if (waiting !== nothing) this.lanes.resume(waiting, nothing);
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
    this.weights.written[operation] = sum(arriving);
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

function memoryAtStart(collective: Collective, rank: number, scratch: number, byShard: Float64Array): Float64Array {
  const layout = memoryLayout(collective, rank);
  const memory = new Float64Array(layout.cells + scratch);
  for (let slot = 0; slot < inputChunks(collective, rank); slot++) {
    memory[layout.input + slot] = byShard[shardOf(collective, 'input', rank, slot)];
  }
  return memory;
}

function sum(weights: Float64Array): number {
  return weights.reduce((total, weight) => total + weight, 0);
}
