/** Machines at random: the shipped ones with parameters drawn, what is left of them without a link or a chip, and graphs that nobody builds. */
import { CccError, resolveTopology } from '../src/index.ts';
import type { Random } from '../src/ir/random.ts';
import type { Link, Node, Topology } from '../src/ir/topology.ts';
import { withoutChip, withoutLink } from '../src/read/index.ts';

/** Ranks of the largest machine that is drawn. */
const mostRanks = 64;

/** A family of machines, and the name of one of them; machines that are too large are drawn again. */
export type Family = readonly [family: string, name: (random: Random) => string];

export const shippedFamilies: readonly Family[] = [
  ...['sg2260x4', 'sg2260x4-ddr', 'sg2260x8', 'dgx1', 'routed-line'].map((name): Family => [name, () => name]),
  ...boxes('a100', 8),
  ...boxes('h100', 8),
  ...boxes('dgx1-cluster', 8),
  ...boxes('dgx2', 4),
  ...boxes('mi250', 4),
  ...boxes('sg2260-cards', 16),
  ...boxes('hypercube', 6),
  ...boxes('fattree3', 5),
  ...['ring', 'line', 'tree', 'switch', 'full', 'routed-ring'].map(
    (name): Family => [name, (random) => `${name}:${3 + random.below(mostRanks - 2)}`],
  ),
  ...['torus', 'mesh'].map((name): Family => [name, (random) => `${name}:${extents(random).join('x')}`]),
  ['fattree', (random) => `fattree:${[1 + random.below(8), 1 + random.below(16), 1 + random.below(8)].join(',')}`],
  ['dragonfly', (random) => `dragonfly:${[1 + random.below(16), 1 + random.below(8), 1 + random.below(8)].join(',')}`],
];

function boxes(name: string, most: number): readonly Family[] {
  return [[name, (random) => `${name}:${1 + random.below(most)}`]];
}

function extents(random: Random): number[] {
  return Array.from({ length: 2 + random.below(2) }, () => 2 + random.below(15));
}

/** What is left of a machine, and what it lost as a user would type it after `--without`: nothing where that is empty. */
export interface Drawn {
  readonly topology: Topology;
  readonly without: string;
}

/** Undefined for a machine of too few ranks, or too many, or one that falls apart. */
export function drawnFrom(name: string, random: Random, loss: 'chip' | 'link' | 'none'): Drawn | undefined {
  const machine = resolveTopology(name);
  const ranks = machine.chips.length;
  if (ranks > mostRanks || ranks < 3) return undefined;
  if (loss === 'none') return { topology: machine, without: '' };
  return loss === 'chip' ? withoutOneChip(machine, random) : withoutOneLink(machine, random);
}

function withoutOneChip(machine: Topology, random: Random): Drawn | undefined {
  const rank = random.below(machine.chips.length);
  return unlessApart(`chip:${rank}`, () => withoutChip(machine, rank));
}

function withoutOneLink(machine: Topology, random: Random): Drawn | undefined {
  const { links, nodes, chips } = machine;
  const typed = (node: number): number | string => {
    const rank = chips.indexOf(node);
    return rank < 0 ? nodes[node].name : rank;
  };
  const { from, to } = links[random.below(links.length)];
  const [a, b] = [typed(from), typed(to)];
  return unlessApart(`link:${a}-${b}`, () => withoutLink(machine, a, b));
}

function unlessApart(without: string, rest: () => Topology): Drawn | undefined {
  try {
    return { topology: rest(), without };
  } catch (error) {
    if (error instanceof CccError) return undefined;
    throw error;
  }
}

const microsecond = 1e-6;
const gigabyte = 1e9;
/** Bandwidths and latencies of links that differ are multiples of the least. */
const multiples = [1, 1, 2, 4];

/**
 * A ring through all chips and chords between some, in both directions or one; on half of the machines links differ, or chips have ports or
 * engines that reduce.
 */
export function randomGraph(random: Random): Topology {
  const ranks = 3 + random.below(14);
  const differ = random.below(2) === 0;
  const ports = random.below(4) === 0 ? 1 + random.below(2) : Number.POSITIVE_INFINITY;
  const throughput = gigabyte * (10 + random.below(90));
  const reduce = random.below(2) === 0 ? { throughput, overlap: random.below(2) === 0 } : undefined;
  const occupancy = random.below(2) === 0 ? 'blocking' : 'pipelined';
  const [latency, bandwidth] = [microsecond * (1 + random.below(5)), gigabyte * (1 + random.below(50))];
  const links = new Map<string, Link>();
  const multiple = (): number => (differ ? multiples[random.below(multiples.length)] : 1);
  const add = (from: number, to: number): void => {
    if (from === to) return;
    const link = { latency: latency * multiple(), bandwidth: bandwidth * multiple(), occupancy, units: 1 } as const;
    links.set(`${from} ${to}`, { from, to, ...link, origin: undefined });
  };
  for (let rank = 0; rank < ranks; rank++) {
    add(rank, (rank + 1) % ranks);
    if (random.below(4) > 0) add((rank + 1) % ranks, rank);
  }
  for (let chord = random.below(2 * ranks); chord > 0; chord--) {
    const [from, to] = [random.below(ranks), random.below(ranks)];
    add(from, to);
    if (random.below(4) > 0) add(to, from);
  }
  const node = { kind: 'chip', ports: { send: ports, receive: ports }, reduce, copy: undefined } as const;
  const chips = Array.from({ length: ranks }, (_, rank) => rank);
  return {
    name: `graph of ${ranks} chips and ${links.size} links`,
    nodes: chips.map((rank): Node => ({ ...node, name: `chip ${rank}`, multicast: false, origin: undefined })),
    links: [...links.values()],
    ...{ chips, inflight: undefined, shape: undefined, groups: [], notes: [] },
  };
}
