/** What must come before what, in every run, and one run. */
import type { Memory } from './form.ts';
import { Lists, need, type Tables } from './plan.ts';

/**
 * By operation the other end of its message: the k-th send and the k-th receive of a connection, whose message gets cells of its own. And by
 * the event of a send the receive that makes room for it, or −1.
 */
function messagesOf(plan: Tables, memory: Memory, bulks: number, inflight: number) {
  const [{ ops, limits }, { rankOf, laneOf, source, target, size }, count] = [plan, memory, plan.ops.kind.length];
  const connections = new Map<string, readonly [sends: number[], receives: number[]]>();
  for (let o = 0; o < count; o++) {
    if (ops.kind[o] < 2) continue;
    const isSend = ops.kind[o] === 2;
    const key = `${isSend ? rankOf[o] : ops.peer[o]} ${isSend ? ops.peer[o] : rankOf[o]} ${ops.channel[o]}`;
    const sides = connections.get(key) ?? ([[], []] as const);
    const side = sides[isSend ? 0 : 1];
    need(laneOf[side[0] ?? o] === laneOf[o], 'is not in the lane of its connection', 'malformed', o);
    if (side.push(o) === 1) connections.set(key, sides);
  }
  const [partner, room] = [new Int32Array(count), new Int32Array(count * bulks).fill(-1)];
  let { cells } = memory;
  for (const [sends, receives] of connections.values()) {
    const most = Math.min(inflight, sends.length * plan.bulks);
    need(most <= (limits?.messageIds ?? most), 'has more messages on their way than ids', 'over-capacity', sends[0]);
    for (let k = 0; k < sends.length || k < receives.length; k++) {
      const [send, receive] = [sends[k], receives[k]];
      need(size[send] === size[receive], 'has no such other end', 'mismatched', send ?? receive);
      [partner[send], partner[receive]] = [receive, send];
      [target[send], source[receive]] = [cells, cells];
      cells += size[send];
    }
    // Send k waits for the room that receive k − inflight makes, counted through all bulks.
    const eventOf = (side: number[], k: number) => Math.floor(k / side.length) * count + side[k % side.length];
    for (let k = inflight; k < sends.length * bulks; k++) room[eventOf(sends, k)] = eventOf(receives, k - inflight);
  }
  return { partner, room, cells };
}

/**
 * Bulks are written out: operation o of bulk b is event e = b · n + o. Edges of all bulks are alike and none leads to an earlier one, so as
 * many are enough as can meet in scratch. An event has three nodes: it is posted (3e), happens (3e + 1), and its rank knows that it is done
 * (3e + 2). Its own rank's lane and waits lead from done to posted, messages and room for them from what happens to what happens.
 */
export function orderOf(plan: Tables, memory: Memory, bulks: number, inflight: number) {
  const [{ ops, firstOp }, { laneOf }, count] = [plan, memory, plan.ops.kind.length];
  const [events, waits] = [count * bulks, plan.ops.afterOp.length * bulks];
  need(events + waits <= 2 ** 25, 'more operations and waits than 2 ** 25, bulks written out', 'limit');
  const { partner, room, cells } = messagesOf(plan, memory, bulks, inflight);
  /** By node those that must come after it, and how many must come before it. */
  const [after, missing] = [new Lists(3 * events, 6 * events + waits), new Int32Array(3 * events)];
  const edge = (x: number, y: number): void => {
    after.add(x, y);
    missing[y]++;
  };
  for (let event = 0; event < events; event++) {
    const [o, bulk] = [event % count, Math.floor(event / count)];
    const [start, end] = [firstOp[laneOf[o]], firstOp[laneOf[o] + 1]];
    if (o > start) edge(3 * event - 1, 3 * event);
    else if (bulk > 0) edge(3 * (event - o - count + end) - 1, 3 * event);
    for (let a = ops.firstAfter[o]; a < ops.firstAfter[o + 1]; a++) {
      const earlier = bulk - ops.afterBulks[a];
      if (earlier >= 0) edge(3 * (earlier * count + ops.afterOp[a]) + 2, 3 * event);
    }
    edge(3 * event, 3 * event + 1);
    edge(3 * event + 1, 3 * event + 2);
    if (ops.kind[o] > 2) {
      const send = event - o + partner[o];
      edge(3 * send + 1, 3 * event + 1);
      // Without buffers both happen at once: the send not before the receive is posted, and it is done when that has happened.
      if (inflight === 0) edge(3 * event, 3 * send + 1);
      if (inflight === 0) edge(3 * event + 1, 3 * send + 2);
    }
    const send = ops.kind[o] === 2 ? o : (ops.relay?.[o] ?? -1);
    const receive = send < 0 || inflight === 0 ? -1 : room[bulk * count + send];
    if (receive >= 0) edge(3 * receive + 1, 3 * event + 1);
  }
  // A run takes what can run. Where that ends too early the plan deadlocks: in every run, since what can run stays so until it does.
  const run = new Int32Array(3 * events);
  let [ran, ready] = [0, 0];
  for (let node = 0; node < run.length; node++) if (missing[node] === 0) run[ready++] = node;
  while (ran < ready) {
    const node = run[ran++];
    for (let e = after.newest[node]; e >= 0; e = after.older[e])
      if (--missing[after.value[e]] === 0) run[ready++] = after.value[e];
  }
  need(
    ran === run.length,
    'never comes to run',
    'deadlock',
    Math.floor(missing.findIndex((left) => left > 0) / 3) % count,
  );
  const happening = run.filter((node) => node % 3 === 1).map((node) => (node - 1) / 3);
  return { plan, count, cells, after, run, happening };
}
export type Order = ReturnType<typeof orderOf>;
