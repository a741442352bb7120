/** Chooses the simulator for a machine: the one of links and engines, or the one that also models lanes. */
import type { Plan } from '../../ir/plan.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Bytes } from '../../ir/units.ts';
import type { SimulatedConnections } from './connections.ts';
import { LanedSimulation } from './laned-simulation.ts';
import { Simulation } from './simulation.ts';
import type { OperationWeights } from './weights.ts';

/**
 * Simulates a plan to its end.
 * @param chunkBytes bytes of an average chunk of one bulk
 * @throws Error if the plan deadlocks: verify it first; CccError 'topology' for links with proxies if the machine buffers no messages
 */
export function runSimulation(
  plan: Plan,
  connections: SimulatedConnections,
  topology: Topology,
  weights: OperationWeights,
  chunkBytes: Bytes,
): Simulation {
  const { lane } = topology;
  const simulation =
    lane === undefined
      ? new Simulation(plan, connections, topology, weights, chunkBytes)
      : new LanedSimulation(lane, plan, connections, topology, weights, chunkBytes);
  simulation.run();
  return simulation;
}

/**
 * The plan as lanes execute it: if a chunk is larger than a slice, the number of bulks is multiplied so that chunks fit slices.
 * @param chunkBytes bytes of an average chunk of one bulk
 */
export function inSlices(
  plan: Plan,
  { lane }: Topology,
  chunkBytes: Bytes,
): { readonly plan: Plan; readonly chunkBytes: Bytes } {
  const slices = lane === undefined ? 1 : Math.max(1, Math.ceil(chunkBytes / lane.slice));
  return slices === 1
    ? { plan, chunkBytes }
    : { plan: { ...plan, bulks: plan.bulks * slices }, chunkBytes: chunkBytes / slices };
}
