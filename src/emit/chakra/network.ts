/**
 * Describes a topology to ASTRA-sim's analytical network, where that is possible: a ring, a full mesh or a switch with one bandwidth and one latency.
 * For networks with shared links the simulator supports one dimension only. A GB is 2³⁰ bytes there.
 */
import type { Link, Topology } from '../../ir/topology.ts';

/** A dimension of the network, the only one here. */
interface Dimension {
  readonly shape: 'Ring' | 'FullyConnected' | 'Switch';
  readonly size: number;
  readonly bandwidth: number;
  readonly latency: number;
}

/** The text of the network file; undefined if the topology is none of these. */
export function networkText(topology: Topology): string | undefined {
  const dimension = oneSwitch(topology) ?? fullMesh(topology) ?? ring(topology);
  if (dimension === undefined) return undefined;
  const { shape, size, bandwidth, latency } = dimension;
  return [
    `topology: [ ${shape} ]`,
    `npus_count: [ ${size} ]`,
    `bandwidth: [ ${decimal(bandwidth / 2 ** 30)} ]  # GiB/s`,
    `latency: [ ${decimal(latency * 1e9)} ]  # ns, of one link`,
    '',
  ].join('\n');
}

/** A number with a decimal point, which the reader of the file requires. */
function decimal(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(Number(value.toPrecision(15)));
}

/** Links by their two ends; undefined if two links have the same ends, or if a node is not a chip. */
function linksByEnds({ nodes, links, chips }: Topology): ReadonlyMap<string, Link> | undefined {
  if (nodes.length > chips.length) return undefined;
  const rankOf = new Map(chips.map((node, rank) => [node, rank]));
  const found = new Map(links.map((link) => [`${rankOf.get(link.from)} ${rankOf.get(link.to)}`, link]));
  return found.size === links.length ? found : undefined;
}

/** A link that all given links are equal to; undefined if they differ, or if there are none. */
function alike(links: readonly (Link | undefined)[]): Link | undefined {
  const [first] = links;
  if (first === undefined) return undefined;
  const { bandwidth, latency } = first;
  return links.every((link) => link?.bandwidth === bandwidth && link.latency === latency) ? first : undefined;
}

function ring(topology: Topology): Dimension | undefined {
  const size = topology.chips.length;
  const ends = linksByEnds(topology);
  if (ends === undefined || ends.size !== 2 * size || size < 3) return undefined;
  const places = Array.from({ length: size }, (_, place) => [place, (place + 1) % size]);
  const link = alike(places.flatMap(([a, b]) => [ends.get(`${a} ${b}`), ends.get(`${b} ${a}`)]));
  return link && { shape: 'Ring', size, bandwidth: link.bandwidth, latency: link.latency };
}

function fullMesh(topology: Topology): Dimension | undefined {
  const size = topology.chips.length;
  const ends = linksByEnds(topology);
  if (ends === undefined || ends.size !== size * (size - 1) || size < 2) return undefined;
  const link = alike([...ends.values()]);
  return link && { shape: 'FullyConnected', size, bandwidth: link.bandwidth, latency: link.latency };
}

/** A topology with one switch. A message uses two links, to each of which the format assigns half of the total latency. */
function oneSwitch({ nodes, links, chips }: Topology): Dimension | undefined {
  const size = chips.length;
  if (nodes.length !== size + 1 || links.length !== 2 * size) return undefined;
  const isChip = new Set(chips);
  const up = links.filter(({ from, to }) => isChip.has(from) && !isChip.has(to));
  const down = links.filter(({ from, to }) => !isChip.has(from) && isChip.has(to));
  const [first, second] = [alike(up), alike(down)];
  if (up.length !== size || down.length !== size || first?.bandwidth !== second?.bandwidth) return undefined;
  if (first === undefined || second === undefined) return undefined;
  return { shape: 'Switch', size, bandwidth: first.bandwidth, latency: (first.latency + second.latency) / 2 };
}
