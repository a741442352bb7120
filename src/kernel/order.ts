/**
 * What must come before what, in every run. Bulks are written out: operation o of bulk b is event b · n + o. Edges of all bulks are alike
 * and none leads to an earlier one, so as many are enough as can meet in scratch.
 */
import type { Memory } from './form.ts';
import { need, type Tables } from './plan.ts';

/** By operation the other end of its message: the k-th send and the k-th receive of a connection, whose message gets cells of its own. */
function messagesOf(
  { ops, bulks, limits }: Tables,
  { rankOf, laneOf, ends, source, target }: Memory,
  inflight: number,
) {
  const [partner, room, roomBulks] = [0, 1, 2].map(() => new Int32Array(ops.kind.length).fill(-1));
  const connections = new Map<string, readonly [sends: number[], receives: number[]]>();
  for (let o = 0; o < ops.kind.length; o++) {
    if (ops.kind[o] < 2) continue;
    const isSend = ops.kind[o] === 2;
    const key = `${isSend ? rankOf[o] : ops.peer[o]} ${isSend ? ops.peer[o] : rankOf[o]} ${ops.channel[o]}`;
    const sides = connections.get(key) ?? ([[], []] as const);
    const side = sides[isSend ? 0 : 1];
    need(laneOf[side[0] ?? o] === laneOf[o], 'is not in the lane of its connection', 'malformed', o);
    if (side.push(o) === 1) connections.set(key, sides);
  }
  let cells = ends[ends.length - 1];
  for (const [sends, receives] of connections.values()) {
    const isNumbered = Math.min(inflight, sends.length * bulks) <= (limits?.messageIds ?? Number.POSITIVE_INFINITY);
    need(isNumbered, 'has more messages on their way than numbers', 'over-capacity', sends[0]);
    for (let k = 0; k < sends.length || k < receives.length; k++) {
      const [send, receive] = [sends[k], receives[k]];
      need(ops.srcCount[send] === ops.dstCount[receive], 'has no such other end', 'mismatched', send ?? receive);
      partner[send] = receive;
      partner[receive] = send;
      target[send] = cells;
      source[receive] = cells;
      cells += ops.srcCount[send];
      // Send k goes when receive k − inflight has made room, counted through all bulks.
      roomBulks[send] = Math.min(Math.max(0, Math.ceil((inflight - k) / sends.length)), 2 ** 31 - 1);
      room[send] = receives[k - inflight + roomBulks[send] * sends.length];
    }
  }
  return { partner, room, roomBulks, cells };
}

/** @param inflight transfers that a connection buffers; with 0 a send and its receive are one event */
export function orderOf(plan: Tables, memory: Memory, bulks: number, inflight: number) {
  const [{ ops, firstOp }, count] = [plan, plan.ops.kind.length];
  const [events, waits] = [count * bulks, plan.ops.afterOp.length * bulks];
  need(events + waits <= 2 ** 25, 'more operations and waits than 2 ** 25, bulks written out', 'limit');
  const { partner, room, roomBulks, cells } = messagesOf(plan, memory, inflight);
  /** What must be complete before event e: `before[first[e] … first[e + 1] − 1]`; up to `local[e]` it is lane order and `after`. */
  const [first, local, before] = [events + 1, events, 3 * events + 2 * waits].map((length) => new Int32Array(length));
  let edges = 0;
  const wait = (o: number, bulk: number): void => {
    const [start, end] = [firstOp[memory.laneOf[o]], firstOp[memory.laneOf[o] + 1]];
    if (o > start || bulk > 0) before[edges++] = o > start ? bulk * count + o - 1 : (bulk - 1) * count + end - 1;
    for (let a = ops.firstAfter[o]; a < ops.firstAfter[o + 1]; a++) {
      if (ops.afterBulks[a] <= bulk) before[edges++] = (bulk - ops.afterBulks[a]) * count + ops.afterOp[a];
    }
  };
  for (let event = 0; event < events; event++) {
    const [o, bulk] = [event % count, Math.floor(event / count)];
    wait(o, bulk);
    local[event] = edges;
    if (ops.kind[o] > 2) before[edges++] = event - o + partner[o];
    if (ops.kind[o] === 2 && inflight === 0) wait(partner[o], bulk);
    const send = inflight === 0 ? -1 : ops.kind[o] === 2 ? o : (ops.relay?.[o] ?? -1);
    if (send >= 0 && roomBulks[send] <= bulk) before[edges++] = (bulk - roomBulks[send]) * count + room[send];
    first[event + 1] = edges;
  }
  /** The receive that is one event with a send, or the other way round; otherwise −1. */
  const twinOf = (event: number): number =>
    inflight === 0 && ops.kind[event % count] > 1 ? event - (event % count) + partner[event % count] : -1;
  return { plan, cells, count, events, first, local, before, twinOf };
}
export type Order = ReturnType<typeof orderOf>;

/**
 * All events in an order in which they can run: each after what must be before it. Where that leads round in a circle the plan deadlocks,
 * and in every run alike, since all that an operation can do is wait.
 */
export function runOf({ events, count, first, before, twinOf }: Order): Int32Array {
  const [run, isOpen, isDone] = [new Int32Array(events), new Uint8Array(events), new Uint8Array(events)];
  const [open, missing]: [number[], Int32Array] = [[], first.slice(0, events)];
  for (let ran = 0, next = 0; ran < events; ) {
    const event = open.pop() ?? next++;
    while (missing[event] < first[event + 1] && isDone[before[missing[event]]] === 1) missing[event]++;
    if (missing[event] < first[event + 1]) {
      const earlier = before[missing[event]];
      need(isOpen[earlier] === 0, 'waits for itself', 'deadlock', event % count);
      isOpen[event] = 1;
      open.push(event, earlier);
    } else {
      // A send that is one event with its receive comes first: that waits for it.
      for (let one = event; one >= 0 && isDone[one] === 0; one = twinOf(one)) {
        run[ran++] = one;
        isDone[one] = 1;
      }
    }
  }
  return run;
}
