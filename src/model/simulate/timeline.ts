/** The simulated run of a plan as a timeline, of which `simulate` reports sums only. */
import { CccError } from '../../ir/diagnostic.ts';
import { maxTimedOperations } from '../../ir/limits.ts';
import { OperationCode, operationCount, type Plan } from '../../ir/plan.ts';
import type { Timeline } from '../../ir/report.ts';
import type { Routes } from '../../ir/routes.ts';
import { chunkBytesOf } from '../../ir/shards.ts';
import type { Topology } from '../../ir/topology.ts';
import { type Bytes, counted } from '../../ir/units.ts';
import { findConnections, type SimulatedConnections } from './connections.ts';
import { inSlices, runSimulation } from './run.ts';
import { type OperationWeights, weigh } from './weights.ts';

type Times = Pick<Timeline, 'start' | 'end'>;

/**
 * Simulates a plan as `simulate` does, but without extrapolation: the timeline has one bulk for every slice that lanes cut.
 * @throws CccError 'limit' for runs of too many operations; Error as `simulate`
 */
export function timeline(whole: Plan, routes: Routes, size: Bytes): Timeline {
  const { topology } = routes;
  const { plan, chunkBytes } = inSlices(whole, topology, chunkBytesOf(whole, size, topology.messages?.alignment));
  const operations = operationCount(plan);
  if (operations * plan.bulks > maxTimedOperations) {
    const message = `a timeline of ${operations} operations in ${counted(plan.bulks, 'bulk')} has more instants than fit`;
    throw new CccError('limit', message);
  }
  const connections = findConnections(plan, routes);
  const weights = weigh({ ...plan, bulks: whole.bulks }, size, topology.messages);
  const times = runSimulation(plan, connections, topology, weights, chunkBytes).times();
  addReceiving(plan, connections, times);
  const links = linkUse(plan, connections, topology, times, { weights, chunkBytes });
  return { operations, bulks: plan.bulks, ...times, links };
}

/**
 * Sets when receives begin. The simulator records only when a receive is complete; on the timeline it lasts from the time at which its message has
 * started and its lane has reached it.
 */
function addReceiving(plan: Plan, { of, firstSend, sends }: SimulatedConnections, { start, end }: Times): void {
  const { kind } = plan.ops;
  const operations = operationCount(plan);
  const taken = new Int32Array(firstSend.length);
  for (let bulk = 0; bulk < plan.bulks; bulk++) {
    taken.fill(0);
    for (let lane = 0; lane < plan.laneId.length; lane++) {
      const [first, last] = [plan.firstOp[lane], plan.firstOp[lane + 1] - 1];
      for (let operation = first; operation <= last; operation++) {
        if (kind[operation] !== OperationCode.recv && kind[operation] !== OperationCode.recvReduce) continue;
        const connection = of[operation];
        const send = sends[firstSend[connection] + taken[connection]++];
        const instance = bulk * operations + operation;
        const before = operation > first ? instance - 1 : bulk > 0 ? (bulk - 1) * operations + last : -1;
        // If the previous operation is a send, its message may still be in flight when the lane goes on.
        const free = before < 0 || kind[before % operations] === OperationCode.send ? 0 : end[before];
        start[instance] = Math.min(end[instance], Math.max(start[bulk * operations + send], free));
      }
    }
  }
}

/** The intervals in which each message occupies the links of its route: blocking links until it arrives, others until its last byte has entered. */
function linkUse(
  plan: Plan,
  connections: SimulatedConnections,
  topology: Topology,
  times: Times,
  { weights, chunkBytes }: { readonly weights: OperationWeights; readonly chunkBytes: Bytes },
): Timeline['links'] {
  const { of, firstRouteLink, routeLink } = connections;
  const { kind } = plan.ops;
  const operations = operationCount(plan);
  let rows = 0;
  for (let o = 0; o < operations; o++) {
    if (kind[o] === OperationCode.send) rows += plan.bulks * (firstRouteLink[of[o] + 1] - firstRouteLink[of[o]]);
  }
  if (rows > maxTimedOperations) throw new CccError('limit', `a timeline of ${rows} crossings of links is too long`);
  const link = new Int32Array(rows);
  const instance = new Int32Array(rows);
  const start = new Float64Array(rows);
  const end = new Float64Array(rows);
  let row = 0;
  for (let at = 0; at < operations * plan.bulks; at++) {
    const operation = at % operations;
    if (kind[operation] !== OperationCode.send) continue;
    const bytes = weights.sent[operation] * chunkBytes;
    for (let r = firstRouteLink[of[operation]]; r < firstRouteLink[of[operation] + 1]; r++, row++) {
      const { occupancy, bandwidth } = topology.links[routeLink[r]];
      link[row] = routeLink[r];
      instance[row] = at;
      start[row] = times.start[at];
      end[row] = occupancy === 'blocking' ? times.end[at] : times.start[at] + bytes / bandwidth;
    }
  }
  return { link, instance, start, end };
}
