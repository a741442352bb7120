/** Requests drawn by a seed that the grid of `bench:grid` does not have: shipped machines of drawn sizes, some with links lost or slowed down, all collectives. */
import { type CollectiveKind, collectiveKinds } from '../src/ir/collective.ts';
import { Random } from '../src/ir/random.ts';
import type { Topology } from '../src/ir/topology.ts';

export interface DrawnRequest {
  /** For people; the same text is the same request. */
  readonly what: string;
  readonly topology: string;
  /** Machine edits are drawn again from this seed. */
  readonly edits: number;
  readonly kind: CollectiveKind;
  readonly root: number;
  readonly bytes: number;
}

/** All that move data by rules of their own. */
export const drawnKinds: readonly CollectiveKind[] = collectiveKinds.filter(
  (kind) => kind !== 'barrier' && kind !== 'custom',
);
const sizes = [2 ** 10, 2 ** 16, 2 ** 20, 2 ** 23, 2 ** 26, 2 ** 30];
/** A lost link is drawn as often as a slow one; more of either than this part of all links never. */
const edited = 0.2;
const slower = [2, 4, 10];

const families: readonly ((random: Random) => string)[] = [
  ...[
    'sg2260x4',
    'sg2260x4-ddr',
    'sg2260x8',
    'dgx1',
    'a100',
    'mi250',
    'mi250:2',
    'a100:2',
    'dgx2:1',
    'tree',
    'routed-line',
  ].map((name) => () => name),
  ...['ring', 'line', 'switch', 'full', 'full', 'full', 'routed-ring'].map(
    (name) => (random: Random) => `${name}:${3 + random.below(14)}`,
  ),
  ...['torus', 'mesh', 'mesh'].map(
    (name) => (random: Random) => `${name}:${2 + random.below(4)}x${2 + random.below(4)}`,
  ),
  (random) => `hypercube:${2 + random.below(3)}`,
  (random) => `fattree:${1 + random.below(3)},${2 + random.below(3)},${1 + random.below(3)}`,
  (random) => `dragonfly:${2 + random.below(3)},${1 + random.below(3)},${1 + random.below(2)}`,
];

/** `count` requests, the same for the same seed. */
export function drawnRequests(count: number, seed: number, ranksOf: (name: string) => number): DrawnRequest[] {
  const random = new Random(seed);
  const requests: DrawnRequest[] = [];
  for (let row = 0; requests.length < count; row++) {
    const topology = families[row % families.length](random);
    const ranks = ranksOf(topology);
    const edits = random.below(2) === 0 ? 0 : 1 + random.below(2 ** 20);
    const kind = drawnKinds[random.below(drawnKinds.length)];
    const root = random.below(ranks);
    const bytes = sizes[random.below(sizes.length)];
    if (ranks < 3) continue;
    const what = `${kind} ${topology}${edits === 0 ? '' : `~${edits}`} ${bytes}${root === 0 ? '' : ` root ${root}`}`;
    requests.push({ what, topology, edits, kind, root, bytes });
  }
  return requests;
}

/** The machine with some links lost and some slower; as it was where that leaves it in parts. */
export function editedMachine(topology: Topology, edits: number): Topology {
  if (edits === 0) return topology;
  const random = new Random(edits);
  const lost = new Set<number>();
  const slow = new Map<number, number>();
  const many = 1 + random.below(Math.ceil(topology.links.length * edited));
  for (let edit = 0; edit < many; edit++) {
    const link = random.below(topology.links.length);
    if (random.below(2) === 0) lost.add(link);
    else slow.set(link, slower[random.below(slower.length)]);
  }
  const links = topology.links.flatMap((link, index) =>
    lost.has(index) ? [] : [{ ...link, bandwidth: link.bandwidth / (slow.get(index) ?? 1) }],
  );
  const name = `${topology.name}~${edits}`;
  const left = { ...topology, name, shape: undefined, links };
  return isConnected(left) ? left : { ...left, links: topology.links };
}

function isConnected({ nodes, links, chips }: Topology): boolean {
  return chips.every((chip) => {
    const seen = new Set([chip]);
    for (const node of seen) for (const { from, to } of links) if (from === node) seen.add(to);
    return chips.every((other) => seen.has(other)) && seen.size <= nodes.length;
  });
}
