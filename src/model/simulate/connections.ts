/** The connections of a plan and the routes they take: the static half of the cost model. */
import { CccError } from '../../ir/diagnostic.ts';
import { maxTimedOperations } from '../../ir/limits.ts';
import type { Plan } from '../../ir/plan.ts';
import { type Connections, PlanIndex } from '../../ir/plan-index.ts';
import type { Route, Routes } from '../../ir/routes.ts';
import type { Seconds } from '../../ir/units.ts';

/** The connections of a plan with their routes. Each connection has as many sends as receives. */
export interface SimulatedConnections
  extends Pick<Connections, 'count' | 'of' | 'sends' | 'firstSend' | 'receives' | 'firstReceive'> {
  /** The ranks at both ends, by connection. */
  readonly sender: Int32Array;
  readonly receiver: Int32Array;
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
 * Finds the route of each connection of a plan.
 * @throws Error if sends and receives do not match or no route exists, which a proved plan excludes
 */
export function findConnections(plan: Plan, routes: Routes): SimulatedConnections {
  const { connections, ends } = PlanIndex.of(plan);
  if (!connections.isBalanced) throw new Error(`plan ${plan.name}: sends and receives do not match`);
  const { count, of, sends, firstSend, receives, firstReceive } = connections;
  const { sender, receiver, channel } = ends;
  return {
    ...{ count, of, sends, firstSend, receives, firstReceive, sender, receiver },
    ...routesOf(sender, receiver, channel, routes),
  };
}

function routesOf(sender: Int32Array, receiver: Int32Array, channel: Int32Array, routes: Routes) {
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
