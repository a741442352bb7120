/**
 * Bandwidth over one cut. If B bytes must go from the chips inside to those outside, every link that crosses and is used
 * carries its messages one after the other, and its last one still has its route's latency to pay: whether it blocks or is
 * pipelined, a link of bandwidth β takes at most β·(T − α) bytes, α being the least Σα from a chip inside to one outside.
 * Hence T ≥ α + B / Σβ. Where a single chip has P ports and more links, its messages use P links at a time, and the
 * P fastest count: n messages keep the ports busy for n·α besides their bytes, and n is at least the number of links used.
 */
import type { Collective } from '../../ir/collective.ts';
import type { Certificate } from '../../ir/report.ts';
import type { Topology } from '../../ir/topology.ts';
import { type Bytes, type BytesPerSecond, formatBytes, formatBytesPerSecond, type Seconds } from '../../ir/units.ts';
import type { Latencies } from './latencies.ts';
import { bytesLeaving, type Part } from './needs.ts';

/** 1 for each node on the inner side of a cut. */
export type Side = Uint8Array;

/** The ranks on either side of a cut. */
interface Sides {
  readonly inside: readonly number[];
  readonly outside: readonly number[];
}

/** Seconds that a cut proves; 0 if nothing must cross it or nothing can. */
export function cutSeconds(
  collective: Collective,
  topology: Topology,
  size: Bytes,
  side: Side,
  latencies: Latencies,
): Seconds {
  const sides = sidesOf(topology, side);
  const { inside, outside } = sides;
  if (inside.length === 0 || outside.length === 0) return 0;
  const bytes = bytesLeaving(collective, size, partOf(topology, side, sides));
  const bandwidth = cutBandwidth(topology, side, sides);
  if (bytes === 0 || bandwidth === 0) return 0;
  const isOutside = new Uint8Array(topology.nodes.length);
  for (const rank of outside) isOutside[topology.chips[rank]] = 1;
  const sources = inside.map((rank) => topology.chips[rank]);
  return latencies.nearest(sources, (node) => isOutside[node] === 1) + bytes / bandwidth;
}

/** The certificate of what `cutSeconds` says. */
export function cutCertificate(
  collective: Collective,
  topology: Topology,
  size: Bytes,
  side: Side,
  latencies: Latencies,
): Certificate {
  const sides = sidesOf(topology, side);
  const bytes = formatBytes(bytesLeaving(collective, size, partOf(topology, side, sides)));
  const bandwidth = formatBytesPerSecond(cutBandwidth(topology, side, sides));
  return {
    kind: 'bandwidth',
    seconds: cutSeconds(collective, topology, size, side, latencies),
    reason: `${describe(sides.inside)} must send the others ${bytes} through ${bandwidth}, and the last message has its latency to pay`,
    witness: { inside: [...side.keys()].filter((node) => side[node] === 1) },
  };
}

/** Bytes per second that can cross from the inside to the outside. */
function cutBandwidth(topology: Topology, side: Side, { inside, outside }: Sides): BytesPerSecond {
  const crossing: number[] = [];
  for (const { from, to, bandwidth } of topology.links) {
    if (side[from] === 1 && side[to] === 0) crossing.push(bandwidth);
  }
  const portsOf = (rank: number) => topology.nodes[topology.chips[rank]].ports;
  const senders = inside.length === 1 ? portsOf(inside[0]).send : Number.POSITIVE_INFINITY;
  const receivers = outside.length === 1 ? portsOf(outside[0]).receive : Number.POSITIVE_INFINITY;
  crossing.sort((a, b) => b - a);
  return crossing.slice(0, Math.min(senders, receivers)).reduce((sum, bandwidth) => sum + bandwidth, 0);
}

function sidesOf(topology: Topology, side: Side): Sides {
  const inside: number[] = [];
  const outside: number[] = [];
  topology.chips.forEach((chip, rank) => {
    (side[chip] === 1 ? inside : outside).push(rank);
  });
  return { inside, outside };
}

function partOf(topology: Topology, side: Side, { inside, outside }: Sides): Part {
  return {
    size: inside.length,
    leastInside: inside[0],
    greatestOutside: outside[outside.length - 1],
    has: (rank) => side[topology.chips[rank]] === 1,
  };
}

/** `rank 3`, `ranks 0, 1, 2`, or `ranks 0, 1, 2, … (16 in all)`. */
function describe(ranks: readonly number[]): string {
  if (ranks.length === 1) return `rank ${ranks[0]}`;
  const list = ranks.length <= 8 ? ranks.join(', ') : `${ranks.slice(0, 3).join(', ')}, … (${ranks.length} in all)`;
  return `ranks ${list}`;
}
