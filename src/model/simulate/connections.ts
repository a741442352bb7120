/** The connections of a plan and the routes they take: the static half of the cost model. */
import { byGroup, groupStarts } from '../../ir/column.ts';
import { CccError } from '../../ir/diagnostic.ts';
import { maxTimedOperations } from '../../ir/limits.ts';
import { OperationCode, operationCount, type Plan, rankOfLane } from '../../ir/plan.ts';
import type { Route, Routes } from '../../ir/routes.ts';
import type { Seconds } from '../../ir/units.ts';

/**
 * Connections (sender, receiver, channel), numbered in the order their first operation stands in the plan. The sends of
 * connection c in one bulk are `sends[firstSend[c] … firstSend[c + 1] − 1]`, in the order they are matched.
 */
export interface SimulatedConnections {
  readonly count: number;
  /** `of[operation]`: its connection, −1 for local operations. */
  readonly of: Int32Array;
  readonly sender: Int32Array;
  readonly receiver: Int32Array;
  readonly firstSend: Int32Array;
  readonly sends: Int32Array;
  /** The route of connection c: links `routeLink[firstRouteLink[c] … firstRouteLink[c + 1] − 1]`. */
  readonly firstRouteLink: Int32Array;
  readonly routeLink: Int32Array;
  /** The first connection with the same route. */
  readonly sameRoute: Int32Array;
  /** Σα of the route. */
  readonly latency: Float64Array;
  /** The smallest β of the route. */
  readonly bandwidth: Float64Array;
}

/** The time a message of `bytes` takes on its connection's route: Σα + n/min β. */
export function messageDuration(connections: SimulatedConnections, connection: number, bytes: number): Seconds {
  return connections.latency[connection] + bytes / connections.bandwidth[connection];
}

/**
 * Finds a plan's connections and routes.
 * @throws Error when sends and receives do not match or no route exists: such a plan was never proved
 */
export function findConnections(plan: Plan, routes: Routes): SimulatedConnections {
  const { of, sender, receiver, channel } = numberConnections(plan);
  return {
    count: sender.length,
    of,
    sender,
    receiver,
    ...listSends(plan, of, sender.length),
    ...trace(sender, receiver, channel, routes),
  };
}

function numberConnections(plan: Plan) {
  const { kind, peer, channel } = plan.ops;
  const ranks = plan.collective.ranks;
  const of = new Int32Array(operationCount(plan)).fill(-1);
  const known = new Map<number, number>();
  const sender: number[] = [];
  const receiver: number[] = [];
  const channelOf: number[] = [];
  const numberOf = (from: number, to: number, on: number): number => {
    const key = (on * ranks + from) * ranks + to;
    const number = known.get(key);
    if (number !== undefined) return number;
    known.set(key, sender.length);
    sender.push(from);
    receiver.push(to);
    channelOf.push(on);
    return sender.length - 1;
  };
  for (let lane = 0; lane < plan.laneId.length; lane++) {
    const rank = rankOfLane(plan, lane);
    let previous = -1;
    for (let op = plan.firstOp[lane]; op < plan.firstOp[lane + 1]; op++) {
      if (peer[op] < 0) continue;
      const isSend = kind[op] === OperationCode.send;
      // Most lanes serve one connection: its number is that of the lane's message before.
      const isSame =
        previous >= 0 &&
        peer[previous] === peer[op] &&
        channel[previous] === channel[op] &&
        (kind[previous] === OperationCode.send) === isSend;
      of[op] = isSame ? of[previous] : numberOf(isSend ? rank : peer[op], isSend ? peer[op] : rank, channel[op]);
      previous = op;
    }
  }
  return { of, sender: Int32Array.from(sender), receiver: Int32Array.from(receiver), channel: channelOf };
}

function listSends(plan: Plan, of: Int32Array, count: number) {
  const sending = of.slice();
  const receiving = of.slice();
  part(plan.ops.kind, sending, receiving);
  const { first: firstSend, rows: sends } = byGroup(sending, count);
  const firstReceive = groupStarts(receiving, count);
  if (firstSend.some((first, c) => first !== firstReceive[c])) {
    throw new Error(`plan ${plan.name}: sends and receives do not match`);
  }
  return { firstSend, sends };
}

/** Takes what is no send out of the one column, and sends out of the other. */
function part(kind: Int32Array, sending: Int32Array, receiving: Int32Array): void {
  for (let op = 0; op < kind.length; op++) (kind[op] === OperationCode.send ? receiving : sending)[op] = -1;
}

function trace(sender: Int32Array, receiver: Int32Array, channel: readonly number[], routes: Routes) {
  const firstRouteLink = new Int32Array(sender.length + 1);
  const links: number[] = [];
  const sameRoute = new Int32Array(sender.length);
  const known = new Map<Route, number>();
  const latency = new Float64Array(sender.length);
  const bandwidth = new Float64Array(sender.length);
  for (let c = 0; c < sender.length; c++) {
    const route = routes.between(sender[c], receiver[c], channel[c]);
    if (route === undefined) throw new Error(`no route from rank ${sender[c]} to rank ${receiver[c]}`);
    if (links.length + route.links.length > maxTimedOperations) {
      const message = `the routes of ${sender.length} connections have more than ${maxTimedOperations} links, the most that can be simulated`;
      throw new CccError('limit', message);
    }
    sameRoute[c] = known.get(route) ?? c;
    known.set(route, sameRoute[c]);
    for (const link of route.links) links.push(link);
    firstRouteLink[c + 1] = links.length;
    latency[c] = route.latency;
    bandwidth[c] = route.bandwidth;
  }
  return { firstRouteLink, routeLink: Int32Array.from(links), sameRoute, latency, bandwidth };
}
