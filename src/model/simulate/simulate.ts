/** The simulated cost of a plan on a machine. */
import type { Plan } from '../../ir/plan.ts';
import type { CostReport } from '../../ir/report.ts';
import type { Routes } from '../../ir/routes.ts';
import { chunkBytesOf } from '../../ir/shards.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { bulkLoads } from '../estimate/pipelines/loads.ts';
import { findConnections, type SimulatedConnections } from './connections.ts';
import { inSlices, runSimulation } from './run.ts';
import type { Simulation } from './simulation.ts';
import { measureTraffic } from './traffic.ts';
import { weigh } from './weights.ts';

/**
 * If slices of chunks give more bulks than this, and more than the plan has, two runs of this many and half as many bulks are simulated, and the rest
 * is extrapolated from their difference.
 */
const mostSliced = 16;

/**
 * Simulates a plan on `routes.topology` for a message of `size` bytes (M). The average chunk of a bulk has M / (chunks of the message · bulks) bytes,
 * a real number; without counts all chunks have that size.
 * @returns simulated time, traffic, use of links and critical path; the path is empty if not all slices were simulated
 * @throws Error if the plan deadlocks, its sends and receives do not match or a route is missing: verify it first; CccError 'topology' for links with
 *   proxies if the machine buffers no messages
 */
export function simulate(plan: Plan, routes: Routes, size: Bytes): CostReport {
  const { topology } = routes;
  const chunkBytes = chunkBytesOf(plan, size, topology.messages?.alignment);
  const connections = findConnections(plan, routes);
  const weights = weigh(plan, size, topology.messages);
  const traffic = measureTraffic(plan, connections, topology, weights, chunkBytes);
  const sliced = inSlices(plan, topology, chunkBytes);
  const { bulks } = sliced.plan;
  const inBulks = (count: number): Simulation =>
    runSimulation({ ...sliced.plan, bulks: count }, connections, topology, weights, sliced.chunkBytes);
  if (bulks <= Math.max(mostSliced, plan.bulks)) {
    const simulation = inBulks(bulks);
    return { seconds: simulation.seconds, ...traffic, criticalPath: simulation.criticalPath() };
  }
  const line = lineOf(inBulks);
  return { seconds: timeOn(line, bulks, busiest(sliced.plan, routes, size)), ...traffic, criticalPath: [] };
}

/**
 * The simulated times of one plan on one machine for messages of many sizes, without the other results of `simulate`. Large messages are cut into
 * slices of equal size, so that a few simulations serve many sizes.
 */
export class SimulatedTimes {
  private readonly plan: Plan;
  private readonly routes: Routes;
  private readonly connections: SimulatedConnections;
  /** The extrapolation for each size of a slice's chunks, in bytes. */
  private readonly lines = new Map<Bytes, Line>();

  /** @param plan a proved plan */
  constructor(plan: Plan, routes: Routes) {
    this.plan = plan;
    this.routes = routes;
    this.connections = findConnections(plan, routes);
  }

  /** The simulated time for a message of `size` bytes. @throws what `simulate` throws */
  at(size: Bytes): Seconds {
    const { plan, routes, connections, lines } = this;
    const { topology } = routes;
    const chunkBytes = chunkBytesOf(plan, size, topology.messages?.alignment);
    const weights = weigh(plan, size, topology.messages);
    const sliced = inSlices(plan, topology, chunkBytes);
    const { bulks } = sliced.plan;
    const inBulks = (count: number): Simulation =>
      runSimulation({ ...sliced.plan, bulks: count }, connections, topology, weights, sliced.chunkBytes);
    if (bulks <= Math.max(mostSliced, plan.bulks)) return inBulks(bulks).seconds;
    // With aligned messages the bytes of an operation depend on the size as well, so that nothing is reused.
    const line = (topology.messages === undefined ? lines.get(sliced.chunkBytes) : undefined) ?? lineOf(inBulks);
    lines.set(sliced.chunkBytes, line);
    return timeOn(line, bulks, busiest(sliced.plan, routes, size));
  }
}

/** A linear extrapolation: the time of the simulated bulks, and the time that each further bulk adds. */
interface Line {
  readonly simulated: Seconds;
  readonly perBulk: Seconds;
}

function lineOf(inBulks: (count: number) => Simulation): Line {
  const simulated = inBulks(mostSliced).seconds;
  return { simulated, perBulk: (simulated - inBulks(mostSliced / 2).seconds) / (mostSliced / 2) };
}

function timeOn({ simulated, perBulk }: Line, bulks: number, least: Seconds): Seconds {
  return simulated + (bulks - mostSliced) * Math.max(perBulk, least);
}

/**
 * Seconds for which one bulk occupies the busiest resource: a lower bound on the slope of the extrapolation, which the end of a short run could
 * understate.
 */
function busiest(plan: Plan, routes: Routes, size: Bytes): Seconds {
  return bulkLoads(plan, routes, size)[0]?.seconds ?? 0;
}
