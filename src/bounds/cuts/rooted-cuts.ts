/**
 * The tightest cuts around a root, computed exactly.
 * Broadcast: the minimum over all chips of the maximum flow from the root to the chip, which is the rate at which a
 * root can broadcast (Edmonds 1973).
 * Scatter: the largest ratio of chips beyond the cut to bandwidth, by Dinkelbach's method as in tightest-cut.ts: at
 * ratio p/q each link gets p times its capacity and each chip absorbs q units; if some chip cannot get its units, the
 * minimum cut has a larger ratio.
 */

import { FlowNetwork } from '../../graph/max-flow.ts';
import { ranksOf, type Topology } from '../../ir/topology.ts';
import { greatestCommonDivisor } from '../../ir/whole-numbers.ts';
import { type MachineNetwork, machineNetwork } from '../flow/machine-network.ts';
import { tighter } from '../flow/tighter.ts';

/** The root's side of a cut. */
export interface RootedCut {
  /** 1 for each node of the machine that is on the root's side. */
  readonly inside: Uint8Array;
  /** 1 for each rank whose memory is on the root's side. */
  readonly holders: Uint8Array;
  /** True if no cut is tighter; false if the search ran out of work. */
  readonly exact: boolean;
}

/**
 * The minimum cut that separates the root from some chip.
 * @param work budget in arcs visited, after which the best cut so far is returned
 */
export function tightestBroadcastCut(topology: Topology, root: number, work: number): RootedCut {
  const machine = machineNetwork(topology);
  const network = networkOf(machine, machine.nodes);
  const source = machine.memories[root];
  let least = Number.POSITIVE_INFINITY;
  let side: Uint8Array = new Uint8Array(machine.nodes);
  let exact = machine.exact;
  for (const memory of machine.memories) {
    if (memory === source) continue;
    if (network.work > work) {
      exact = false;
      break;
    }
    const flow = network.maxFlow(source, memory, least);
    if (flow >= least) continue;
    least = flow;
    side = network.sourceSide();
  }
  return rootedCut(topology, machine, side, exact);
}

/** The cut with the most chips beyond it per unit of bandwidth. */
export function tightestScatterCut(topology: Topology, root: number, work: number): RootedCut {
  const machine = machineNetwork(topology);
  const network = networkOf(machine, machine.nodes + 1);
  const sink = machine.nodes;
  const source = machine.memories[root];
  const takers = machine.memories.filter((memory) => memory !== source);
  const takes = takers.map((memory) => network.add(memory, sink, 0));
  const around = new Uint8Array(machine.nodes);
  around[source] = 1;
  const measured = (side: Uint8Array) => ({
    side,
    chips: takers.reduce((count, memory) => count + 1 - side[memory], 0),
    bandwidth: bandwidthFrom(machine, side),
  });
  for (let best = measured(around); ; ) {
    const { side, chips, bandwidth } = best;
    const exact = machine.exact && network.work <= work;
    if (bandwidth === 0 || network.work > work) return rootedCut(topology, machine, side, exact);
    const divisor = greatestCommonDivisor(chips, bandwidth);
    const take = bandwidth / divisor;
    machine.arcs.forEach(({ capacity }, a) => {
      network.setCapacity(2 * a, Math.min(take * ranksOf(topology), (chips / divisor) * capacity));
    });
    for (const arc of takes) network.setCapacity(arc, take);
    const flow = network.maxFlow(source, sink);
    if (flow === take * takers.length) return rootedCut(topology, machine, side, exact);
    best = tighter(measured(network.sourceSide().slice(0, machine.nodes)), best);
  }
}

function networkOf(machine: MachineNetwork, nodes: number): FlowNetwork {
  const network = new FlowNetwork(nodes);
  for (const { from, to, capacity } of machine.arcs) network.add(from, to, capacity);
  return network;
}

function bandwidthFrom(machine: MachineNetwork, side: Uint8Array): number {
  let bandwidth = 0;
  for (const { from, to, capacity } of machine.arcs) if (side[from] === 1 && side[to] === 0) bandwidth += capacity;
  return bandwidth;
}

function rootedCut(topology: Topology, machine: MachineNetwork, side: Uint8Array, exact: boolean): RootedCut {
  return {
    inside: side.slice(0, topology.nodes.length),
    holders: Uint8Array.from(machine.memories, (memory) => side[memory]),
    exact,
  };
}
