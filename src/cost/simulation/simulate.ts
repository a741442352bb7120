/** What a plan costs on a machine. */
import type { Plan } from '../../ir/plan.ts';
import type { CostReport } from '../../ir/report.ts';
import type { Routes } from '../../ir/routes.ts';
import { chunkBytesOf } from '../../ir/shards.ts';
import type { Bytes } from '../../ir/units.ts';
import { findConnections } from './connections.ts';
import { Simulation } from './simulation.ts';
import { measureTraffic } from './traffic.ts';
import { weigh } from './weights.ts';

/**
 * Simulates a plan on `routes.topology` for a message of `size` bytes (M; the average chunk of a bulk
 * is M / (chunks of the message · bulks) bytes, a real number, and without counts all are).
 * @returns simulated time, traffic, use of links and critical path
 * @throws Error if the plan deadlocks, its sends and receives do not match or a route is missing: prove it first
 */
export function simulate(plan: Plan, routes: Routes, size: Bytes): CostReport {
  const { topology } = routes;
  const chunkBytes = chunkBytesOf(plan, size);
  const connections = findConnections(plan, routes);
  const weights = weigh(plan, connections);
  const simulation = new Simulation(plan, connections, topology, weights, chunkBytes);
  simulation.run();
  return {
    seconds: simulation.seconds,
    ...measureTraffic(plan, connections, topology, weights, chunkBytes),
    criticalPath: simulation.criticalPath(),
  };
}
