/** The centre of a machine: the ranks whose farthest other rank is nearest, in latency there and back. */
import { Latencies } from '../../bounds/latency/latencies.ts';
import { type Topology, transpose } from '../../ir/topology.ts';
import type { Seconds } from '../../ir/units.ts';

/**
 * By rank: the largest minimum round-trip latency (Σα there and back) to any other rank, in seconds; Infinity if some rank has no route
 * there or back.
 */
export function roundTrips(topology: Topology): readonly Seconds[] {
  const { chips } = topology;
  const [there, back] = [new Latencies(topology), new Latencies(transpose(topology))];
  return chips.map((chip) => {
    const [to, from] = [there.from(chip), back.from(chip)];
    return chips.reduce((most, other) => Math.max(most, to[other] + from[other]), 0);
  });
}

/** By rank: the total bandwidth of all links into its chip, in bytes per second. */
export function widthsInto({ nodes, links, chips }: Topology): readonly number[] {
  const into = nodes.map(() => 0);
  for (const { to, bandwidth } of links) into[to] += bandwidth;
  return chips.map((chip) => into[chip]);
}
