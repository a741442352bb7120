/** Requests drawn from all shipped machines of at most 64 ranks: any link or chip that the rest can do without, any collective, short messages and long ones. */
import { CccError, resolveTopology } from '../src/index.ts';
import { Random } from '../src/ir/random.ts';
import type { Topology } from '../src/ir/topology.ts';
import { withoutChip, withoutLink } from '../src/read/index.ts';

export interface Loss {
  readonly topology: string;
  /** As a user would type it after `--without`. */
  readonly without: string;
  readonly collective: string;
  readonly size: string;
}

const mostRanks = 64;
const sizes = ['1KiB', '64KiB', '1MiB', '64MiB', '1GiB'];
const collectives = [
  'allgather',
  'reducescatter',
  'allreduce',
  'alltoall',
  'broadcast',
  'reduce',
  'scatter',
  'gather',
  'scan',
  'exscan',
];

/** Shipped machines with parameters drawn; a machine of more ranks is drawn again. */
const machines: readonly ((random: Random) => string)[] = [
  ...['sg2260x4', 'sg2260x4-ddr', 'sg2260x8', 'dgx1', 'routed-line'].map((name) => () => name),
  ...boxes('a100', 8),
  ...boxes('h100', 8),
  ...boxes('dgx1-cluster', 8),
  ...boxes('dgx2', 4),
  ...boxes('mi250', 4),
  ...boxes('sg2260-cards', 16),
  ...boxes('hypercube', 6),
  ...boxes('fattree3', 5),
  ...['ring', 'line', 'tree', 'switch', 'full', 'routed-ring'].map(
    (name) => (random: Random) => `${name}:${3 + random.below(mostRanks - 2)}`,
  ),
  ...['torus', 'mesh'].map((name) => (random: Random) => `${name}:${extents(random).join('x')}`),
  (random) => `fattree:${[1 + random.below(8), 1 + random.below(16), 1 + random.below(8)].join(',')}`,
  (random) => `dragonfly:${[1 + random.below(16), 1 + random.below(8), 1 + random.below(8)].join(',')}`,
];

function boxes(name: string, most: number): readonly ((random: Random) => string)[] {
  return [(random) => `${name}:${1 + random.below(most)}`];
}

function extents(random: Random): number[] {
  return Array.from({ length: 2 + random.below(2) }, () => 2 + random.below(15));
}

/** `count` requests that have an answer, the same for the same seed. */
export function drawn(count: number, seed: number): Loss[] {
  const random = new Random(seed);
  const losses: Loss[] = [];
  while (losses.length < count) {
    const name = machines[losses.length % machines.length](random);
    const loss = broken(name, random);
    if (loss !== undefined) losses.push(loss);
  }
  return losses;
}

/** Undefined where the machine is too large or too small, or the rest falls apart. */
function broken(name: string, random: Random): Loss | undefined {
  const machine = resolveTopology(name);
  const ranks = machine.chips.length;
  if (ranks > mostRanks || ranks < 3) return undefined;
  const without = random.below(3) === 0 ? lostChip(machine, random) : lostLink(machine, random);
  if (without === undefined) return undefined;
  return {
    topology: name,
    without,
    collective: collectives[random.below(collectives.length)],
    size: sizes[random.below(sizes.length)],
  };
}

function lostChip(machine: Topology, random: Random): string | undefined {
  const rank = random.below(machine.chips.length);
  return isConnected(() => withoutChip(machine, rank)) ? `chip:${rank}` : undefined;
}

function lostLink(machine: Topology, random: Random): string | undefined {
  const { links, nodes, chips } = machine;
  const typed = (node: number): number | string => {
    const rank = chips.indexOf(node);
    return rank < 0 ? nodes[node].name : rank;
  };
  const { from, to } = links[random.below(links.length)];
  const [a, b] = [typed(from), typed(to)];
  return isConnected(() => withoutLink(machine, a, b)) ? `link:${a}-${b}` : undefined;
}

function isConnected(rest: () => Topology): boolean {
  try {
    rest();
    return true;
  } catch (error) {
    if (error instanceof CccError) return false;
    throw error;
  }
}
