/**
 * A rank's program as a Chakra execution trace (MLCommons Chakra, et_def.proto): sends, receives and computations with their dependencies. Bulks are
 * written out. Local copies take no time in the simulator unless they model computation; they are left out, and their dependencies are passed on to
 * the nodes that depend on them.
 */
import { computingTime, isReduction, OperationCode, type Plan } from '../../ir/plan.ts';
import { localPredecessors, type OperationInstance, PlanIndex } from '../../ir/plan-index.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import type { MessageTags } from '../message-tags.ts';
import {
  concatenated,
  messageField,
  numberField,
  numbersField,
  type WireMessage,
  wireTextField,
  withLength,
} from './wire.ts';

/** Values of Chakra's NodeType. */
const nodeTypes = { compute: 4, send: 5, receive: 6, collective: 7 } as const;

/** Field numbers of Node, and of AttributeProto with the types of values that are used. */
const nodeFields = { id: 1, name: 2, type: 3, dataDeps: 5, duration: 7, attribute: 10 } as const;
const attributeFields = { name: 1, int32: 7, int64: 9, bool: 27 } as const;

/** The facts about the machine that the trace needs. */
export interface TraceCosts {
  bytes(chunks: number): Bytes;
  reduction(chunks: number): Seconds;
}

function attribute(name: string, kind: 'int32' | 'int64' | 'bool', value: number): WireMessage {
  return messageField(nodeFields.attribute, [
    ...wireTextField(attributeFields.name, name),
    ...numberField(attributeFields[kind], value),
  ]);
}

interface TraceNode {
  readonly id: number;
  readonly name: string;
  readonly type: number;
  readonly needs: readonly number[];
  readonly microseconds: number;
  readonly attributes: WireMessage;
}

function nodeMessage({ id, name, type, needs, microseconds, attributes }: TraceNode): WireMessage {
  return withLength([
    ...numberField(nodeFields.id, id),
    ...wireTextField(nodeFields.name, name),
    ...numberField(nodeFields.type, type),
    ...numbersField(nodeFields.dataDeps, needs),
    ...(microseconds === 0 ? [] : numberField(nodeFields.duration, microseconds)),
    ...attributes,
  ]);
}

/** GlobalMetadata with the version of the schema, which every file begins with. */
const metadata: WireMessage = withLength(wireTextField(1, '0.0.4'));

/** The workload of a rank: one call of the collective. @param kind Chakra's CollectiveCommType */
export function workloadTrace(name: string, kind: number, size: Bytes): Uint8Array {
  const attributes = [
    ...attribute('is_cpu_op', 'bool', 0),
    ...attribute('comm_type', 'int64', kind),
    ...attribute('comm_size', 'int64', size),
  ];
  const node = { id: 0, name, type: nodeTypes.collective, needs: [], microseconds: 0, attributes };
  return concatenated([...metadata, ...nodeMessage(node)]);
}

/** The program of a rank. */
export function programTrace(plan: Plan, rank: number, tags: MessageTags, costs: TraceCosts): Uint8Array {
  const { firstLane, firstOp } = plan;
  const trace = new ProgramTrace(plan, rank, tags, costs);
  const pieces: Uint8Array[] = [...metadata];
  for (let bulk = 0; bulk < plan.bulks; bulk++) {
    for (let lane = firstLane[rank]; lane < firstLane[rank + 1]; lane++) {
      for (let o = firstOp[lane]; o < firstOp[lane + 1]; o++) {
        for (const node of trace.nodesOf(o, bulk)) pieces.push(...nodeMessage(node));
      }
    }
  }
  return concatenated(pieces);
}

class ProgramTrace {
  private readonly plan: Plan;
  private readonly index: PlanIndex;
  private readonly rank: number;
  private readonly tags: MessageTags;
  private readonly costs: TraceCosts;
  private readonly start: number;
  private readonly operations: number;

  constructor(plan: Plan, rank: number, tags: MessageTags, costs: TraceCosts) {
    this.plan = plan;
    this.index = PlanIndex.of(plan);
    this.rank = rank;
    this.tags = tags;
    this.costs = costs;
    this.start = plan.firstOp[plan.firstLane[rank]];
    this.operations = plan.firstOp[plan.firstLane[rank + 1]] - this.start;
  }

  *nodesOf(o: number, bulk: number): Iterable<TraceNode> {
    const { kind, peer, srcCount, dstCount } = this.plan.ops;
    const needs = this.neededBy(o, bulk);
    const id = this.idOf(o, bulk);
    switch (kind[o]) {
      case OperationCode.copy: {
        const time = computingTime(this.plan, o);
        if (time !== undefined) yield this.computation(id, 'compute', time, needs);
        return;
      }
      case OperationCode.send:
        yield this.message(o, bulk, 'send', [this.rank, peer[o]], srcCount[o], needs);
        return;
      case OperationCode.recv:
        yield this.message(o, bulk, 'receive', [peer[o], this.rank], dstCount[o], needs);
        return;
      case OperationCode.recvReduce:
        yield this.message(o, bulk, 'receive', [peer[o], this.rank], dstCount[o], needs);
        yield this.reduction(id + 1, dstCount[o], [id]);
        return;
      default:
        yield this.reduction(id + 1, dstCount[o], needs);
    }
  }

  private message(
    o: number,
    bulk: number,
    what: 'send' | 'receive',
    [source, destination]: readonly [number, number],
    chunks: number,
    needs: readonly number[],
  ): TraceNode {
    const type = nodeTypes[what];
    const attributes = [
      ...attribute('is_cpu_op', 'bool', 0),
      ...attribute('comm_type', 'int64', type),
      ...attribute('comm_size', 'int64', this.costs.bytes(chunks)),
      ...attribute('comm_src', 'int32', source),
      ...attribute('comm_dst', 'int32', destination),
      ...attribute('comm_tag', 'int32', this.tags.of(o, bulk)),
    ];
    return {
      id: this.idOf(o, bulk),
      name: `${what} ${source} ${destination}`,
      type,
      needs,
      microseconds: 0,
      attributes,
    };
  }

  private reduction(id: number, chunks: number, needs: readonly number[]): TraceNode {
    return this.computation(id, 'reduce', this.costs.reduction(chunks), needs);
  }

  /** A computation node. Durations are whole microseconds; ASTRA-sim treats 0 as a nanosecond. */
  private computation(id: number, name: string, time: Seconds, needs: readonly number[]): TraceNode {
    const attributes = attribute('is_cpu_op', 'bool', 0);
    return { id, name, type: nodeTypes.compute, needs, microseconds: Math.round(time * 1e6), attributes };
  }

  /** The nodes that must be complete before an operation begins. */
  private neededBy(operation: number, bulk: number): readonly number[] {
    const needs = new Set<number>();
    for (const before of localPredecessors(this.index, { operation, bulk })) {
      for (const end of this.endsOf(before)) needs.add(end);
    }
    return [...needs].sort((a, b) => a - b);
  }

  /** The nodes whose completion completes an operation. A copy that takes no time has no node; the nodes that it depends on stand for it. */
  private endsOf({ operation, bulk }: OperationInstance): readonly number[] {
    const code = this.plan.ops.kind[operation];
    const isFree = code === OperationCode.copy && computingTime(this.plan, operation) === undefined;
    if (isFree) return this.neededBy(operation, bulk);
    return [this.idOf(operation, bulk) + (isReduction(this.plan, operation) ? 1 : 0)];
  }

  /** The id of an operation in a bulk. Each has two ids: the second one is for its reduction. */
  private idOf(o: number, bulk: number): number {
    return 2 * (bulk * this.operations + o - this.start);
  }
}
