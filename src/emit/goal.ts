/**
 * GOAL, the language of LogGOPSim and related simulators: for each rank a graph of sends, receives and calculations (Hoefler, Siebert and Lumsdaine,
 * "Group Operation Assembly Language", 2009). The simulator models the network; of the topology only the chips' engines are used.
 */
import { computingTime, OperationCode, operationCount, type Plan } from '../ir/plan.ts';
import { localPredecessors, PlanIndex } from '../ir/plan-index.ts';
import { chunkBytesOf } from '../ir/shards.ts';
import type { Topology } from '../ir/topology.ts';
import type { Bytes } from '../ir/units.ts';
import { type Emitter, type OpenBundle, opened, type PlanBundle } from './emitter.ts';
import { emitLimits } from './limits.ts';
import { MessageTags } from './message-tags.ts';

export const goal = {
  name: 'goal',
  about: 'GOAL text for LogGOPSim: sends, receives and calculations of every rank, bulks written out',
  check: ({ proved: { plan }, size }: PlanBundle): readonly string[] => {
    const lacking: string[] = [];
    const tasks = operationCount(plan) * plan.bulks;
    if (size === undefined) lacking.push('its messages have bytes, which needs a size (--size)');
    if (plan.collective.counts !== undefined) lacking.push('it is written for shards of equal size only');
    if (tasks > emitLimits.tasks)
      lacking.push(`${tasks} tasks are more than ${emitLimits.tasks} (--bulks makes fewer)`);
    return lacking;
  },
  emit: (bundle: PlanBundle): Iterable<string> => goalText(opened(bundle)),
} satisfies Emitter;

function* goalText({ plan, topology, size = 0 }: OpenBundle): Iterable<string> {
  const tags = new MessageTags(plan);
  const chunkBytes = chunkBytesOf(plan, size, topology?.messages?.alignment);
  yield `num_ranks ${plan.buffers.length}\n`;
  for (let rank = 0; rank < plan.buffers.length; rank++) {
    const program = new Program(plan, rank, tags, costsOf(topology, rank, chunkBytes));
    yield `\nrank ${rank} {\n`;
    for (let bulk = 0; bulk < plan.bulks; bulk++) yield* program.tasksOf(bulk);
    yield '}\n';
  }
}

/** Converts a number of chunks on one rank to bytes of a message or nanoseconds of an engine; a chip without the engine needs no time. */
interface Costs {
  bytes(chunks: number): number;
  calculation(engine: 'reduce' | 'copy', chunks: number): number;
}

function costsOf(topology: Topology | undefined, rank: number, chunkBytes: Bytes): Costs {
  const chip = topology?.nodes[topology.chips[rank]];
  return {
    // The simulators do not accept messages without bytes.
    bytes: (chunks) => Math.max(1, Math.round(chunks * chunkBytes)),
    calculation: (engine, chunks) => {
      const throughput = chip?.[engine]?.throughput ?? Number.POSITIVE_INFINITY;
      return Math.round(((chunks * chunkBytes) / throughput) * 1e9);
    },
  };
}

/** The tasks of one rank. */
class Program {
  private readonly plan: Plan;
  private readonly rank: number;
  private readonly tags: MessageTags;
  private readonly costs: Costs;
  private readonly start: number;
  private readonly operations: number;

  constructor(plan: Plan, rank: number, tags: MessageTags, costs: Costs) {
    this.plan = plan;
    this.rank = rank;
    this.tags = tags;
    this.costs = costs;
    this.start = plan.firstOp[plan.firstLane[rank]];
    this.operations = plan.firstOp[plan.firstLane[rank + 1]] - this.start;
  }

  /** The tasks of one bulk, each with its dependencies. */
  *tasksOf(bulk: number): Iterable<string> {
    const { firstLane, firstOp } = this.plan;
    const index = PlanIndex.of(this.plan);
    for (let lane = firstLane[this.rank]; lane < firstLane[this.rank + 1]; lane++) {
      const lines: string[] = [];
      for (let o = firstOp[lane]; o < firstOp[lane + 1]; o++) {
        lines.push(this.task(o, bulk));
        for (const needed of localPredecessors(index, { operation: o, bulk })) {
          lines.push(`${this.label(o, bulk)} requires ${this.finalLabel(needed.operation, needed.bulk)}`);
        }
      }
      if (lines.length > 0) yield `${lines.join('\n')}\n`;
    }
  }

  private task(o: number, bulk: number): string {
    const { kind, peer, srcCount, dstCount } = this.plan.ops;
    const { costs } = this;
    const label = this.label(o, bulk);
    const received = () => `${label}: recv ${costs.bytes(dstCount[o])}b from ${peer[o]} tag ${this.tags.of(o, bulk)}`;
    switch (kind[o]) {
      case OperationCode.send:
        return `${label}: send ${costs.bytes(srcCount[o])}b to ${peer[o]} tag ${this.tags.of(o, bulk)}`;
      case OperationCode.recv:
        return received();
      case OperationCode.recvReduce: {
        const reduced = this.finalLabel(o, bulk);
        return `${received()}\n${reduced}: calc ${costs.calculation('reduce', dstCount[o])}\n${reduced} requires ${label}`;
      }
      case OperationCode.reduce:
        return `${label}: calc ${costs.calculation('reduce', dstCount[o])}`;
      default: {
        const time = computingTime(this.plan, o);
        return `${label}: calc ${time === undefined ? costs.calculation('copy', dstCount[o]) : Math.round(time * 1e9)}`;
      }
    }
  }

  /** The label of an operation in a bulk. Each has two labels: the second one is for the calculation of a reduction on arrival. */
  private label(o: number, bulk: number): string {
    return `l${2 * (bulk * this.operations + o - this.start) + 1}`;
  }

  private finalLabel(o: number, bulk: number): string {
    if (this.plan.ops.kind[o] !== OperationCode.recvReduce) return this.label(o, bulk);
    return `l${2 * (bulk * this.operations + o - this.start) + 2}`;
  }
}
