/**
 * Assigns the operations of a plan, bulk by bulk, to the queues of a chip's engines: one queue for the messages to each other chip, one for those
 * from each other chip, one or two for copies, one for reductions. A port keeps its messages in order, so that all channels between two chips share a
 * queue.
 */
import { OperationCode, operationCount, type Plan, planBuffers } from '../../ir/plan.ts';
import { localPredecessors, PlanIndex } from '../../ir/plan-index.ts';

const engines = ['copy in', 'send', 'receive', 'reduce', 'copy'] as const;

export interface EmittedQueue {
  readonly rank: number;
  readonly engine: (typeof engines)[number];
  /** The peer of a queue of sends or receives. */
  readonly peer: number | undefined;
  /** The instances of operations, or commands, in the order of their execution. */
  readonly entries: readonly number[];
}

/** The entries of all queues and their dependencies. */
export interface Queues {
  readonly queues: readonly EmittedQueue[];
  /** By entry: its queue. */
  readonly queueOf: Int32Array;
  /** By entry: the receive of a send, the send of a receive; −1 for others. */
  readonly partner: Int32Array;
  /** The entries of the same rank that must be complete before an entry begins. */
  neededBy(entry: number): readonly number[];
}

/** Operation o in bulk b is instance b · operations + o. */
export interface OperationQueues extends Queues {
  readonly operations: number;
  /** All instances, each after its dependencies. */
  readonly order: readonly number[];
}

const scratch = planBuffers.indexOf('scratch');

/**
 * @param starts the start of each instance in a simulated run, in seconds; all 0 for the order of bulks and steps
 * @param duplex whether copies into scratch have an engine of their own
 * @param by which end of a message determines its position at the port: messages are ordered by when they are sent or, if they wait at their
 *   receivers, by when they are received
 */
export function queuesOf(plan: Plan, starts: Float64Array, duplex: boolean, by: 'send' | 'receive'): OperationQueues {
  const operations = operationCount(plan);
  const { rankOf, connections } = PlanIndex.of(plan);
  const partner = Int32Array.from({ length: operations * plan.bulks }, (_, instance) => {
    const other = connections.partner[instance % operations];
    return other < 0 ? -1 : instance - (instance % operations) + other;
  });
  const neededBy = dependenciesOf(plan, operations);
  const order = inOrder(plan, starts, partner, neededBy);
  const queues = new Map<string, { readonly queue: Omit<EmittedQueue, 'entries'>; readonly entries: number[] }>();
  const queueOf = new Int32Array(operations * plan.bulks);
  const put = (instance: number): void => {
    const queue = queueFor(plan, rankOf, instance % operations, duplex);
    const key = `${queue.rank} ${queue.engine} ${queue.peer}`;
    const known = queues.get(key);
    if (known === undefined) queues.set(key, { queue, entries: [instance] });
    else known.entries.push(instance);
  };
  for (const instance of order) {
    const isReceive = plan.ops.kind[instance % operations] >= OperationCode.recv;
    const isMessage = partner[instance] >= 0;
    if (isMessage && isReceive !== (by === 'receive')) continue;
    put(instance);
    // Messages arrive in the order in which they are sent.
    if (isMessage) put(partner[instance]);
  }
  const sorted = [...queues.values()].sort((a, b) => {
    const [first, second] = [a.queue, b.queue];
    const byEngine = engines.indexOf(first.engine) - engines.indexOf(second.engine);
    return first.rank - second.rank || byEngine || (first.peer ?? 0) - (second.peer ?? 0);
  });
  sorted.forEach(({ entries }, index) => {
    for (const instance of entries) queueOf[instance] = index;
  });
  return {
    operations,
    queues: sorted.map(({ queue, entries }) => ({ ...queue, entries })),
    ...{ order, queueOf, partner, neededBy },
  };
}

function queueFor(plan: Plan, rankOf: Int32Array, operation: number, duplex: boolean): Omit<EmittedQueue, 'entries'> {
  const { kind, peer, dstBuffer } = plan.ops;
  const rank = rankOf[operation];
  switch (kind[operation]) {
    case OperationCode.send:
      return { rank, engine: 'send', peer: peer[operation] };
    case OperationCode.copy:
      return { rank, engine: duplex && dstBuffer[operation] === scratch ? 'copy in' : 'copy', peer: undefined };
    case OperationCode.reduce:
      return { rank, engine: 'reduce', peer: undefined };
    default:
      return { rank, engine: 'receive', peer: peer[operation] };
  }
}

/** The entries of the rank that must be complete before an instance begins. */
function dependenciesOf(plan: Plan, operations: number): (instance: number) => readonly number[] {
  const index = PlanIndex.of(plan);
  return (instance) => {
    const at = { operation: instance % operations, bulk: Math.floor(instance / operations) };
    return Array.from(localPredecessors(index, at), ({ operation, bulk }) => bulk * operations + operation);
  };
}

/** All instances in the order of their start in the simulated run; an instance whose dependencies start no earlier follows them. */
function inOrder(
  { bulks, ops }: Plan,
  start: Float64Array,
  partner: Int32Array,
  neededBy: Queues['neededBy'],
): readonly number[] {
  const operations = ops.kind.length;
  const byStart = Array.from({ length: operations * bulks }, (_, instance) => instance);
  const step = (instance: number): number => ops.step[instance % operations];
  byStart.sort((a, b) => {
    const inTime = start[a] - start[b];
    return inTime || Math.floor(a / operations) - Math.floor(b / operations) || step(a) - step(b) || a - b;
  });
  const placed = new Uint8Array(operations * bulks);
  const order: number[] = [];
  for (const first of byStart) {
    const stack = [first];
    while (stack.length > 0) {
      const instance = stack[stack.length - 1];
      const isReceive = ops.kind[instance % operations] >= OperationCode.recv;
      const needed = [...neededBy(instance), ...(isReceive ? [partner[instance]] : [])];
      const missing = needed.filter((other) => placed[other] === 0);
      if (missing.length > 0 && placed[instance] === 0) {
        stack.push(...missing);
        continue;
      }
      stack.pop();
      if (placed[instance] === 1) continue;
      placed[instance] = 1;
      order.push(instance);
    }
  }
  return order;
}
