/** One order in which a plan can run on channels that buffer any number of messages. */
import { OperationCode, operationCount, type Plan } from '../../ir/plan.ts';

/**
 * All operations in such an order. Lane order, waits within a bulk and messages decide; where they leave a choice, the
 * smaller number goes first by generations. A plan that cannot run gives the part that can.
 */
export function runOrder(plan: Plan): Int32Array {
  const { ops, firstOp } = plan;
  const count = operationCount(plan);
  const edges = new Edges(count);
  for (let lane = 0; lane + 1 < firstOp.length; lane++) {
    for (let o = firstOp[lane] + 1; o < firstOp[lane + 1]; o++) edges.add(o - 1, o);
  }
  for (let o = 0; o < count; o++) {
    for (let a = ops.firstAfter[o]; a < ops.firstAfter[o + 1]; a++) {
      if (ops.afterBulks[a] === 0) edges.add(ops.afterOp[a], o);
    }
  }
  for (const [send, receive] of messagesOf(plan)) edges.add(send, receive);
  const order = new Int32Array(count);
  let placed = 0;
  for (let o = 0; o < count; o++) if (edges.missing[o] === 0) order[placed++] = o;
  for (let at = 0; at < placed; at++) {
    for (const next of edges.from(order[at])) if (--edges.missing[next] === 0) order[placed++] = next;
  }
  return order.subarray(0, placed);
}

/** Who comes after whom, as lists in one store. */
class Edges {
  /** For each operation how many must still come before it. */
  readonly missing: Int32Array;
  private readonly first: Int32Array;
  private readonly target: number[] = [];
  private readonly next: number[] = [];

  constructor(operations: number) {
    this.missing = new Int32Array(operations);
    this.first = new Int32Array(operations).fill(-1);
  }

  add(before: number, after: number): void {
    this.missing[after]++;
    this.target.push(after);
    this.next.push(this.first[before]);
    this.first[before] = this.target.length - 1;
  }

  *from(operation: number): Iterable<number> {
    for (let edge = this.first[operation]; edge >= 0; edge = this.next[edge]) yield this.target[edge];
  }
}

/** The k-th send of each connection with its k-th receive, as far as there are both. */
function* messagesOf(plan: Plan): Iterable<readonly [send: number, receive: number]> {
  const sends = new Map<string, number[]>();
  forEachMessage(plan, OperationCode.send, (name, operation) => {
    const queue = sends.get(name);
    if (queue === undefined) sends.set(name, [operation]);
    else queue.push(operation);
  });
  const taken = new Map<string, number>();
  const pairs: (readonly [number, number])[] = [];
  forEachMessage(plan, OperationCode.recv, (name, operation) => {
    const index = taken.get(name) ?? 0;
    taken.set(name, index + 1);
    const send = sends.get(name)?.[index];
    if (send !== undefined) pairs.push([send, operation]);
  });
  yield* pairs;
}

/** Visits all sends, or all receives of either kind, with the name of their connection. */
function forEachMessage(plan: Plan, kind: 2 | 3, visit: (connection: string, operation: number) => void): void {
  const { ops, firstLane, firstOp, buffers } = plan;
  for (let rank = 0; rank < buffers.length; rank++) {
    for (let o = firstOp[firstLane[rank]]; o < firstOp[firstLane[rank + 1]]; o++) {
      const isSend = ops.kind[o] === OperationCode.send;
      if (ops.kind[o] < OperationCode.send || isSend !== (kind === OperationCode.send)) continue;
      const [from, to] = isSend ? [rank, ops.peer[o]] : [ops.peer[o], rank];
      visit(`${from} ${to} ${ops.channel[o]}`, o);
    }
  }
}
