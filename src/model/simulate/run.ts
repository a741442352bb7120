/** Runs of plans by the rules that a machine's times follow: those of links and engines, or of lanes as well. */
import type { Plan } from '../../ir/plan.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Bytes } from '../../ir/units.ts';
import type { SimulatedConnections } from './connections.ts';
import { LanedSimulation } from './laned-simulation.ts';
import { Simulation } from './simulation.ts';
import type { OperationWeights } from './weights.ts';

/**
 * Runs a plan to its end.
 * @param chunkBytes size of an average chunk of one bulk
 * @throws Error if the plan deadlocks: prove it first; CccError 'topology' for buffered links where nothing can be buffered
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
 * The plan as lanes run it: where its chunks are larger than a slice, in as many times more bulks as make them fit.
 * @param chunkBytes size of an average chunk of one bulk
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
