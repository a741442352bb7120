/**
 * The tightest cut of an allgather: the largest ratio |S ∩ chips| / B⁺(S) over all sets S of nodes that leave out some
 * chip, where B⁺(S) is the bandwidth of the links that leave S. Every shard of a chip in S must leave S, so a shard
 * takes at least that ratio of time, and packing spanning trees attains it (Edmonds 1973; Bérczi and Frank 2010).
 * Method: Dinkelbach's. At ratio p/q each chip is fed q units and each link gets p times its capacity. If every chip
 * can absorb all N·q units, no cut is tighter; otherwise the minimum cut that prevents it has a larger ratio. All
 * numbers are integers, so the result is exact.
 */

import { chipsAreAlike } from '../../graph/alike-chips.ts';
import { FlowNetwork } from '../../graph/max-flow.ts';
import { ranksOf, type Topology } from '../../ir/topology.ts';
import type { BytesPerSecond } from '../../ir/units.ts';
import { greatestCommonDivisor } from '../../ir/whole-numbers.ts';
import { type MachineNetwork, machineNetwork } from './machine-network.ts';
import { type CutRatio, tighter } from './tighter.ts';

export interface TightestCut {
  /** |S ∩ chips|: the number of chips whose memory is in S. */
  readonly chips: number;
  /** B⁺(S) in units of `unit`; 0 if nothing leaves S, and then some chip cannot be reached. */
  readonly bandwidth: number;
  /** Bytes per second of one unit: shards of m bytes take at least m·chips / (bandwidth·unit) seconds. */
  readonly unit: BytesPerSecond;
  /** S: 1 for each node of the machine (its router, where ports are scarce) that is inside. */
  readonly inside: Uint8Array;
  /** 1 for each rank whose memory is inside; differs from `inside` only where ports are scarcer than links. */
  readonly holders: Uint8Array;
  /**
   * True if no cut is tighter; false if bandwidths were rounded or the search ended early, and this is the best cut
   * found.
   */
  readonly exact: boolean;
}

/** Limits of the search. */
export interface CutSearch {
  /** Budget in arcs visited, after which the search returns the best cut so far; unlimited if absent. */
  readonly work?: number;
  readonly shouldStop?: () => boolean;
}

/** The tightest cut of a machine with at least two chips. */
export function tightestCut(topology: Topology, search: CutSearch = {}): TightestCut {
  const machine = machineNetwork(topology);
  const network = new FlowNetwork(machine.nodes + 1);
  const source = machine.nodes;
  const arcs = machine.arcs.map(({ from, to }) => network.add(from, to, 0));
  const feeds = machine.memories.map((memory) => network.add(source, memory, 0));
  const ranks = ranksOf(topology);
  // A translation of ranks maps the network to itself, so what one chip can absorb, every chip can.
  const sinks = chipsAreAlike(topology) ? 1 : ranks;

  let best = tightestAroundOneChip(machine);
  // Within one ratio the flow to one sink is reused for the next: what the next sink lacks is rerouted from the
  // previous one.
  let filled = -1;
  let exact = machine.exact;
  for (let rank = 0; rank < sinks && best.bandwidth > 0; ) {
    if (network.work > (search.work ?? Number.POSITIVE_INFINITY) || search.shouldStop?.() === true) {
      exact = false;
      break;
    }
    const divisor = greatestCommonDivisor(best.chips, best.bandwidth);
    const feed = best.bandwidth / divisor;
    const enough = ranks * feed;
    let flow: number;
    if (filled < 0) {
      for (const arc of feeds) network.setCapacity(arc, feed);
      machine.arcs.forEach(({ capacity }, a) => {
        network.setCapacity(arcs[a], Math.min(enough, (best.chips / divisor) * capacity));
      });
      flow = network.maxFlow(source, machine.memories[rank], enough);
    } else {
      flow = network.moreFlow(machine.memories[filled], machine.memories[rank], enough);
    }
    if (flow === enough) {
      filled = rank++;
      continue;
    }
    best = tighter(measured(machine, network.sourceSide()), best);
    filled = -1;
  }
  const { chips, bandwidth, side } = best;
  const inside = side.slice(0, topology.nodes.length);
  const holders = Uint8Array.from(machine.memories, (memory) => side[memory]);
  return { chips, bandwidth, unit: machine.unit, inside, holders, exact };
}

interface Cut extends CutRatio {
  /** 1 for each node of the network on the source side. */
  readonly side: Uint8Array;
}

function measured(machine: MachineNetwork, side: Uint8Array): Cut {
  let bandwidth = 0;
  for (const { from, to, capacity } of machine.arcs) {
    if (side[from] === 1 && side[to] === 0) bandwidth += capacity;
  }
  const chips = machine.memories.reduce((count, memory) => count + side[memory], 0);
  return { chips, bandwidth, side: side.slice(0, machine.nodes) };
}

/** The tightest of the cuts that leave out a single memory; on many machines this is already the optimum. */
function tightestAroundOneChip(machine: MachineNetwork): Cut {
  const entering = new Float64Array(machine.nodes);
  for (const { to, capacity } of machine.arcs) entering[to] += capacity;
  const least = machine.memories.reduce((best, memory) => (entering[memory] < entering[best] ? memory : best));
  const side = new Uint8Array(machine.nodes).fill(1);
  side[least] = 0;
  return measured(machine, side);
}
