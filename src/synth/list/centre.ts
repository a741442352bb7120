/** The middle of a machine: the ranks that all others reach soonest. */
import { Latencies } from '../../bounds/latency/latencies.ts';
import { type Topology, transpose } from '../../ir/topology.ts';
import type { Seconds } from '../../ir/units.ts';

/** By rank: the least Σα to the rank that is farthest from it, and back; Infinity where there is no way. */
export function roundTrips(topology: Topology): readonly Seconds[] {
  const { chips } = topology;
  const [there, back] = [new Latencies(topology), new Latencies(transpose(topology))];
  return chips.map((chip) => {
    const [to, from] = [there.from(chip), back.from(chip)];
    return chips.reduce((most, other) => Math.max(most, to[other] + from[other]), 0);
  });
}

/** By rank: bytes per second of all links into it. */
export function widthsInto({ nodes, links, chips }: Topology): readonly number[] {
  const into = nodes.map(() => 0);
  for (const { to, bandwidth } of links) into[to] += bandwidth;
  return chips.map((chip) => into[chip]);
}
