/**
 * The happens-before relation of a plan (docs/verification.md): what must come before what in every run. The edges are defined once, in
 * `predecessors`, and everything that asks about order uses them: runs, sweeps and explanations.
 *
 * An edge may come from an earlier bulk: `gap` says how many bulks back. Gaps are never negative, so an operation happens before another one g bulks
 * later exactly if there is a path between them whose gaps sum to at most g (lane order supplies the rest). One copy of the plan therefore represents
 * all bulks.
 *
 * A relay is a receive that accepts its message only when there is a free buffer to forward it, so it also waits for that buffer. Without buffers it
 * does not wait: the sends of its lane are complete by then, so no connection holds anything.
 */
import { isReceive, isSend, operationCount } from '../../ir/plan.ts';
import type { Connections, PlanIndex } from '../../ir/plan-index.ts';
import type { EventOrder } from './event-order.ts';

export class HappensBefore implements EventOrder {
  readonly index: PlanIndex;
  readonly laneOf: Int32Array;
  readonly connections: Connections;
  /** Transfers that a connection buffers; undefined = unbounded. */
  readonly inflight: number | undefined;
  /** The result of `predecessors`. */
  readonly before: Int32Array;
  readonly gap: Float64Array;
  /** Number of entries at the front of the result of `predecessors` that come from the operation's own lane order and `after`. */
  locals = 0;
  protected found = 0;

  constructor(index: PlanIndex, connections: Connections, inflight: number | undefined) {
    this.index = index;
    this.laneOf = index.laneOf;
    this.connections = connections;
    this.inflight = inflight;
    const longest = longestSpan(index.plan.ops.firstAfter);
    // Room for an operation's own `after`, its lane order and its message, twice because with rendezvous those of the partner are added.
    this.before = new Int32Array(2 * longest + 4);
    this.gap = new Float64Array(2 * longest + 4);
  }

  /**
   * Fills `before` and `gap` with what must be complete before an operation, and returns the number of entries. Without buffers a send and its
   * receive are one event: the send comes after everything that either of them waits for, the receive comes right after the send, and nothing happens
   * between them.
   */
  predecessors(operation: number): number {
    this.found = 0;
    this.local(operation);
    this.locals = this.found;
    const { plan } = this.index;
    if (isReceive(plan, operation)) {
      this.push(this.messageTo(operation), 0);
      const passedOn = plan.ops.relay[operation];
      if (passedOn !== -1 && this.inflight !== undefined && this.inflight > 0) this.capacity(passedOn, this.inflight);
    } else if (isSend(plan, operation) && this.inflight !== undefined) {
      if (this.inflight === 0) this.local(this.connections.partner[operation]);
      else this.capacity(operation, this.inflight);
    }
    return this.found;
  }

  /** Returns the send of the message that a receive accepts. */
  messageTo(receive: number): number {
    return this.connections.partner[receive];
  }

  positionOf(operation: number): number {
    return operation - this.index.plan.firstOp[this.laneOf[operation]];
  }

  lengthOf(lane: number): number {
    const { firstOp } = this.index.plan;
    return firstOp[lane + 1] - firstOp[lane];
  }

  /** Returns the operation through which the data came: a receive's send, else the first `after`, else the previous operation of the lane. */
  mainPredecessor(operation: number): number {
    const { plan, laneOf } = this.index;
    const message = isReceive(plan, operation) ? this.messageTo(operation) : -1;
    if (message !== -1) return message;
    const { firstAfter, afterOp, afterBulks } = plan.ops;
    for (let a = firstAfter[operation]; a < firstAfter[operation + 1]; a++) if (afterBulks[a] === 0) return afterOp[a];
    return operation > plan.firstOp[laneOf[operation]] ? operation - 1 : -1;
  }

  /** Without buffers a send and the receive that takes its message are one event. */
  jointEvent(operation: number): number {
    const joint = this.inflight === 0 && isSend(this.index.plan, operation);
    return joint ? this.connections.partner[operation] : -1;
  }

  /** A message does not tell the sender's rank that the send is complete; the next operation of its lane knows. */
  firstToKnow(operation: number): number {
    const { plan, laneOf } = this.index;
    if (!isSend(plan, operation)) return operation;
    return operation + 1 < plan.firstOp[laneOf[operation] + 1] ? operation + 1 : -1;
  }

  /** Adds lane order and `after`. */
  protected local(operation: number): void {
    const { plan, laneOf } = this.index;
    const lane = laneOf[operation];
    if (operation > plan.firstOp[lane]) this.push(operation - 1, 0);
    else this.push(plan.firstOp[lane + 1] - 1, 1);
    const { firstAfter, afterOp, afterBulks } = plan.ops;
    for (let a = firstAfter[operation]; a < firstAfter[operation + 1]; a++) this.push(afterOp[a], afterBulks[a]);
  }

  /**
   * Adds the limit on transfers in flight: send k waits until receive k − inflight has freed a buffer. For small k this is a receive of an earlier
   * bulk.
   */
  private capacity(send: number, inflight: number): void {
    const { of, ordinal, receives, firstReceive } = this.connections;
    const first = firstReceive[of[send]];
    const perBulk = firstReceive[of[send] + 1] - first;
    const at = ordinal[send] - inflight;
    const gap = at >= 0 ? 0 : Math.ceil(-at / perBulk);
    this.push(receives[first + at + gap * perBulk], gap);
  }

  private push(operation: number, gap: number): void {
    this.before[this.found] = operation;
    this.gap[this.found++] = gap;
  }
}

function longestSpan(first: Int32Array): number {
  let longest = 0;
  for (let at = 0; at + 1 < first.length; at++) longest = Math.max(longest, first[at + 1] - first[at]);
  return longest;
}

/** One bulk's operations in an order in which they can run, and where the execution got stuck. */
export interface ExecutedOrder {
  /** Operations in the order in which they ran; all of them unless the plan deadlocks. */
  readonly order: Int32Array;
  /** By lane: the first operation that did not run. */
  readonly next: Int32Array;
}

/** Executes one bulk as far as possible. Lanes take turns, one operation each, and wait if their next operation is blocked. */
export function executeBulk(happens: HappensBefore): ExecutedOrder {
  const { plan, laneOf } = happens.index;
  const total = operationCount(plan);
  const lanes = plan.laneId.length;
  const order = new Int32Array(total);
  const done = new Uint8Array(total);
  const next = plan.firstOp.slice(0, lanes);
  // Each lane is in exactly one place: in the queue of turns, among the lanes that wait for one operation, or at its end.
  const turns = Int32Array.from({ length: lanes }, (_, lane) => lane);
  let turn = 0;
  let queued = lanes;
  const enqueue = (lane: number): void => {
    turns[(turn + queued++) % lanes] = lane;
  };
  const waiters = new Int32Array(total).fill(-1);
  const nextWaiter = new Int32Array(lanes).fill(-1);
  /**
   * By lane: the operations that its next operation still waits for, in reverse order, so that the first one is at the end and cheap to remove once
   * it is done.
   */
  const waits = Array.from({ length: lanes }, (): number[] => []);
  let ran = 0;
  const complete = (operation: number): void => {
    done[operation] = 1;
    order[ran++] = operation;
    next[laneOf[operation]]++;
    waits[laneOf[operation]] = [];
    for (let lane = waiters[operation]; lane !== -1; lane = nextWaiter[lane]) enqueue(lane);
  };
  while (queued > 0) {
    const lane = turns[turn];
    turn = (turn + 1) % lanes;
    queued--;
    const operation = next[lane];
    if (operation === plan.firstOp[lane + 1]) continue;
    const open = waits[lane].length > 0 ? waits[lane] : unfinished(happens, operation, done);
    while (open.length > 0 && done[open[open.length - 1]] === 1) open.pop();
    waits[lane] = open;
    const blocker = open.at(-1);
    if (blocker === undefined) {
      const receive = happens.jointEvent(operation);
      complete(operation);
      if (receive !== -1) complete(receive);
      enqueue(lane);
    } else {
      nextWaiter[lane] = waiters[blocker];
      waiters[blocker] = lane;
    }
  }
  return { order: order.subarray(0, ran), next };
}

/** Returns the operations of the same bulk that an operation still waits for, in reverse order. */
export function unfinished(happens: HappensBefore, operation: number, done: Uint8Array): number[] {
  const { before, gap } = happens;
  const open: number[] = [];
  for (let p = happens.predecessors(operation) - 1; p >= 0; p--) {
    if (gap[p] === 0 && done[before[p]] === 0) open.push(before[p]);
  }
  return open;
}
