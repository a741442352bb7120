/**
 * What must come before what, in every run. Bulks are written out: operation o of bulk b is event b · n + o. Edges of all bulks are alike
 * and none leads to an earlier one, so as many are enough as can meet in scratch.
 */
import { Refusal, type Tables } from './plan.ts';

/** @param inflight transfers that a connection buffers; undefined is any number; with 0 a send and its receive are one event */
export function orderOf(plan: Tables, bulks: number, inflight: number | undefined) {
  const { ops, firstLane, firstOp, laneId } = plan;
  const count = ops.kind.length;
  /** By operation: its lane and rank, the other end of its message, or −1; for sends also which one of their connection they are. */
  const [laneOf, rankOf, partner, ordinal] = [0, 1, 2, 3].map(() => new Int32Array(count).fill(-1));
  for (let r = 0; r < plan.buffers.length; r++) rankOf.fill(r, firstOp[firstLane[r]], firstOp[firstLane[r + 1]]);
  for (let lane = 0; lane < laneId.length; lane++) laneOf.fill(lane, firstOp[lane], firstOp[lane + 1]);
  const name = (event: number): string => {
    const [o, lane] = [event % count, laneOf[event % count]];
    return `rank ${rankOf[o]} lane ${laneId[lane]} op ${o - firstOp[lane]}`;
  };

  /** The receives of each connection (sender, receiver, channel), by its sends: the k-th of both are one message. */
  const receivesOf = new Map<number, readonly number[]>();
  const connections = new Map<string, readonly [sends: number[], receives: number[]]>();
  for (let o = 0; o < count; o++) {
    if (ops.kind[o] < 2) continue;
    const ends = ops.kind[o] === 2 ? `${rankOf[o]} to ${ops.peer[o]}` : `${ops.peer[o]} to ${rankOf[o]}`;
    const sides = connections.get(`${ends} on ${ops.channel[o]}`) ?? ([[], []] as const);
    if (sides[0].length + sides[1].length === 0) connections.set(`${ends} on ${ops.channel[o]}`, sides);
    sides[ops.kind[o] === 2 ? 0 : 1].push(o);
  }
  for (const [ends, [sends, receives]] of connections) {
    const isInOneLane = (side: readonly number[]): boolean => side.every((o) => laneOf[o] === laneOf[side[0]]);
    if (!isInOneLane(sends) || !isInOneLane(receives)) throw new Refusal('malformed', `${ends}: in several lanes`);
    const isAlike = sends.every((send, k) => ops.srcCount[send] === ops.dstCount[receives[k]]);
    if (!isAlike || sends.length !== receives.length) throw new Refusal('mismatched', `${ends}: sends and receives`);
    for (const [k, send] of sends.entries()) {
      [partner[send], partner[receives[k]], ordinal[send]] = [receives[k], send, k];
      if (inflight) receivesOf.set(send, receives);
    }
  }

  const before: number[] = [];
  /** Lane order and `after`. */
  const waits = (event: number, o: number): void => {
    const lane = laneOf[o];
    if (o > firstOp[lane]) before.push(event - 1);
    else if (event >= count) before.push(event - o - count + firstOp[lane + 1] - 1);
    for (let a = ops.firstAfter[o]; a < ops.firstAfter[o + 1]; a++) {
      const awaited = event - o - ops.afterBulks[a] * count + ops.afterOp[a];
      if (awaited >= 0) before.push(awaited);
    }
  };
  const order = {
    ...{ plan, inflight, count, events: count * bulks, laneOf, rankOf, partner, name },
    /** What must be complete before an event: the answer of `predecessors`. The first `locals` of it are lane order and `after`. */
    before,
    locals: 0,
    predecessors(event: number): void {
      const [o, other] = [event % count, event - (event % count) + partner[event % count]];
      before.length = 0;
      waits(event, o);
      order.locals = before.length;
      if (ops.kind[o] > 2) before.push(other);
      if (ops.kind[o] === 2 && inflight === 0) waits(other, partner[o]);
      // Message k goes when receive k − inflight has made room, messages counted through all bulks.
      const send = ops.kind[o] === 2 ? o : ops.relay[o];
      const receives = receivesOf.get(send) ?? [];
      const k = ordinal[send] + Math.floor(event / count) * receives.length - (inflight ?? 0);
      if (receives.length > 0 && k >= 0)
        before.push(Math.floor(k / receives.length) * count + receives[k % receives.length]);
    },
    /**
     * All events in an order in which they can run: each after what must be before it. Where that leads round in a circle the plan
     * deadlocks, and in every run alike, since all that an operation can do is wait.
     */
    run(): Int32Array {
      const [run, seen, done] = [
        new Int32Array(order.events),
        new Uint8Array(order.events),
        new Uint8Array(order.events),
      ];
      let ran = 0;
      const complete = (event: number): void => {
        run[ran++] = event;
        done[event] = 1;
      };
      for (let root = 0; root < order.events; root++) {
        const open = [root];
        for (let event = open.pop(); event !== undefined; event = open.pop()) {
          if (done[event] === 1) continue;
          order.predecessors(event);
          const missing = before.filter((one) => done[one] === 0);
          if (missing.length > 0) {
            if (seen[event] === 1 || missing.some((one) => seen[one] === 1)) throw new Refusal('deadlock', name(event));
            seen[event] = 1;
            open.push(event, ...missing);
          } else {
            const o = event % count;
            complete(event);
            if (inflight === 0 && ops.kind[o] === 2) complete(event - o + partner[o]);
          }
        }
      }
      return run;
    },
  };
  return order;
}
export type Order = ReturnType<typeof orderOf>;
