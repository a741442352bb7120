/**
 * What must come before what (docs/verification.md), in every run. The edges are given once, here; everything that asks about
 * order – the run, the sweeps, the stories – takes them from `predecessors`.
 *
 * An edge may lead from an earlier bulk: `gap` says how many bulks back. Gaps are never negative, so an operation is
 * before one g bulks later exactly when a path between them has gaps that sum to at most g (lane order supplies
 * the rest), and one copy of the plan stands for all bulks.
 *
 * A relay – a receive that takes its message only when there is room to pass it on – waits for that room too. Without buffers it
 * does not: there the sends of its lane are done, so that no connection holds anything when it receives.
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
  /** The answer of `predecessors`. */
  readonly before: Int32Array;
  readonly gap: Float64Array;
  /** How many of the answers of `predecessors`, from the first on, are the operation's own lane order and `after`. */
  locals = 0;
  protected found = 0;

  constructor(index: PlanIndex, connections: Connections, inflight: number | undefined) {
    this.index = index;
    this.laneOf = index.laneOf;
    this.connections = connections;
    this.inflight = inflight;
    const longest = longestSpan(index.plan.ops.firstAfter);
    // An operation's own waits, its lane, its message; with rendezvous twice, the partner's too.
    this.before = new Int32Array(2 * longest + 4);
    this.gap = new Float64Array(2 * longest + 4);
  }

  /**
   * Fills `before` and `gap` with what must be complete before an operation, and returns how many there are. Without
   * buffers a send and its receive are one event: the send comes after all that either waits for, the receive
   * after the send (and nothing is ever between them in a run).
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

  /** The send whose message a receive takes. */
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

  /** The operation that brought the data: a receive's send, else the first `after`, else the one before it in its lane. */
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

  /** A send's message does not say that the send is complete, the next operation of its lane does. */
  firstToKnow(operation: number): number {
    const { plan, laneOf } = this.index;
    if (!isSend(plan, operation)) return operation;
    return operation + 1 < plan.firstOp[laneOf[operation] + 1] ? operation + 1 : -1;
  }

  /** Lane order and `after`. */
  protected local(operation: number): void {
    const { plan, laneOf } = this.index;
    const lane = laneOf[operation];
    if (operation > plan.firstOp[lane]) this.push(operation - 1, 0);
    else this.push(plan.firstOp[lane + 1] - 1, 1);
    const { firstAfter, afterOp, afterBulks } = plan.ops;
    for (let a = firstAfter[operation]; a < firstAfter[operation + 1]; a++) this.push(afterOp[a], afterBulks[a]);
  }

  /** Send k waits until receive k − inflight has made room; of an earlier bulk if k is too small. */
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

/** One bulk's operations in an order in which they can run, and where that order got stuck. */
export interface ExecutedOrder {
  /** Operations in the order they ran; all of them unless the plan deadlocks. */
  readonly order: Int32Array;
  /** The operation at which each lane (row) stands in the end: its first one that did not run. */
  readonly next: Int32Array;
}

/** Runs one bulk as far as it goes: lanes take turns, one operation each, and wait when they must. */
export function executeBulk(happens: HappensBefore): ExecutedOrder {
  const { plan, laneOf } = happens.index;
  const total = operationCount(plan);
  const lanes = plan.laneId.length;
  const order = new Int32Array(total);
  const done = new Uint8Array(total);
  const next = plan.firstOp.slice(0, lanes);
  // A lane is in the ring of turns once, or among the waiters of one operation, or at its end.
  const turns = Int32Array.from({ length: lanes }, (_, lane) => lane);
  let turn = 0;
  let queued = lanes;
  const enqueue = (lane: number): void => {
    turns[(turn + queued++) % lanes] = lane;
  };
  const waiters = new Int32Array(total).fill(-1);
  const nextWaiter = new Int32Array(lanes).fill(-1);
  /** For each lane the operations that its next operation waits for, the first of them last. An operation that is done stays done, so it is removed. */
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

/** What an operation still waits for of the same bulk, the first last. */
export function unfinished(happens: HappensBefore, operation: number, done: Uint8Array): number[] {
  const { before, gap } = happens;
  const open: number[] = [];
  for (let p = happens.predecessors(operation) - 1; p >= 0; p--) {
    if (gap[p] === 0 && done[before[p]] === 0) open.push(before[p]);
  }
  return open;
}
