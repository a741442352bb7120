/** What a plan costs on a machine. */
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
 * Where slices of chunks make more bulks than this, and more than the plan has, only so many are simulated, and half of them: all others are taken
 * to follow each other as those of the second half do.
 */
const mostSliced = 16;

/**
 * Simulates a plan on `routes.topology` for a message of `size` bytes (M; the average chunk of a bulk
 * is M / (chunks of the message · bulks) bytes, a real number, and without counts all are).
 * @returns simulated time, traffic, use of links and critical path, which is empty where not all slices were simulated
 * @throws Error if the plan deadlocks, its sends and receives do not match or a route is missing: prove it first; CccError 'topology' for buffered
 * links where nothing can be buffered
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
 * The simulated times of one plan on one machine for messages of many sizes: those of `simulate`, without anything else that it tells. Large messages
 * go in slices of the same bytes, of which the same few are simulated once.
 */
export class SimulatedTimes {
  private readonly plan: Plan;
  private readonly routes: Routes;
  private readonly connections: SimulatedConnections;
  /** By bytes of the chunks of a slice. */
  private readonly lines = new Map<Bytes, Line>();

  /** @param plan proved */
  constructor(plan: Plan, routes: Routes) {
    this.plan = plan;
    this.routes = routes;
    this.connections = findConnections(plan, routes);
  }

  /** @throws what `simulate` throws */
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
    // Where messages are aligned, what operations move depends on the size as well.
    const line = (topology.messages === undefined ? lines.get(sliced.chunkBytes) : undefined) ?? lineOf(inBulks);
    lines.set(sliced.chunkBytes, line);
    return timeOn(line, bulks, busiest(sliced.plan, routes, size));
  }
}

/** What many bulks take: so long until the last of those that are simulated, and as much more for each other. */
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

/** For how long one bulk keeps the busiest resource: no line is flatter, whatever the end of a short run spares. */
function busiest(plan: Plan, routes: Routes, size: Bytes): Seconds {
  return bulkLoads(plan, routes, size)[0]?.seconds ?? 0;
}
