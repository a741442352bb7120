/**
 * Finds a hypercube among the links of a machine: an embedding of dilation 1. A ring of four is one of two dimensions (its Gray code),
 * a torus of such rings one of twice as many, and full meshes hold any.
 */
import { ranksOf, type Topology } from '../../ir/topology.ts';

/** Corners that are tried before the search gives up. Where there is a hypercube each corner is mostly tried once. */
const mostTries = 20_000;

/**
 * `order[x]` is the rank at corner x: the chips of corners that differ in one bit have links to each other, in both directions.
 * Undefined where the ranks are no power of two, or no such order was found.
 */
export function cornersOf(topology: Topology): readonly number[] | undefined {
  const ranks = ranksOf(topology);
  const dimensions = Math.log2(ranks);
  if (!Number.isInteger(dimensions)) return undefined;
  const neighbours = neighboursByRank(topology);
  if (neighbours.some(({ size }) => size < dimensions)) return undefined;
  const order: number[] = [];
  const isTaken = new Uint8Array(ranks);
  // Corners in the order of their numbers, by backtracking: each is next to all corners that have one of its bits less.
  const nextTo = (corner: number): number[] => {
    const [first, ...others] = bitsOf(corner).map((bit) => neighbours[order[corner ^ bit]]);
    return [...first].filter((rank) => isTaken[rank] === 0 && others.every((near) => near.has(rank)));
  };
  const open: Iterator<number>[] = [[0].values()];
  for (let tries = 0; tries <= mostTries && open.length > 0; ) {
    const next = open[open.length - 1].next();
    if (next.done === true) {
      open.pop();
      const left = order.pop();
      if (left !== undefined) isTaken[left] = 0;
      continue;
    }
    tries++;
    order.push(next.value);
    isTaken[next.value] = 1;
    if (order.length === ranks) return order;
    open.push(nextTo(order.length).values());
  }
  return undefined;
}

function bitsOf(number: number): readonly number[] {
  return Array.from({ length: 32 }, (_, bit) => 2 ** bit).filter((bit) => (number & bit) !== 0);
}

/** The ranks whose chips a link leads to that has another one back. */
function neighboursByRank({ chips, links }: Topology): readonly ReadonlySet<number>[] {
  const rankOf = new Map(chips.map((chip, rank) => [chip, rank]));
  const targets = chips.map(() => new Set<number>());
  for (const { from, to } of links) {
    const [source, target] = [rankOf.get(from), rankOf.get(to)];
    if (source !== undefined && target !== undefined) targets[source].add(target);
  }
  return targets.map((to, rank) => new Set([...to].filter((other) => targets[other].has(rank)).sort((a, b) => a - b)));
}
