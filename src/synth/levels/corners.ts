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
  return new CornerSearch(neighbours).run();
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

/** Corners in the order of their numbers, by backtracking: each is next to all corners that have one of its bits less. */
class CornerSearch {
  private readonly neighbours: readonly ReadonlySet<number>[];
  private readonly order: number[] = [];
  private readonly isTaken: Uint8Array;
  private tries = 0;

  constructor(neighbours: readonly ReadonlySet<number>[]) {
    this.neighbours = neighbours;
    this.isTaken = new Uint8Array(neighbours.length);
  }

  run(): readonly number[] | undefined {
    const candidates: Iterator<number>[] = [[0].values()];
    while (candidates.length > 0 && this.tries <= mostTries) {
      const next = candidates[candidates.length - 1].next();
      if (next.done === true) {
        candidates.pop();
        this.leave();
        continue;
      }
      this.tries++;
      this.order.push(next.value);
      this.isTaken[next.value] = 1;
      if (this.order.length === this.neighbours.length) return this.order;
      candidates.push(this.candidatesFor(this.order.length).values());
    }
    return undefined;
  }

  private leave(): void {
    const rank = this.order.pop();
    if (rank !== undefined) this.isTaken[rank] = 0;
  }

  private candidatesFor(corner: number): readonly number[] {
    const below: number[] = [];
    for (let bit = 1; bit <= corner; bit *= 2) if (corner & bit) below.push(this.order[corner ^ bit]);
    const [first, ...others] = below.map((rank) => this.neighbours[rank]);
    return [...first].filter((rank) => this.isTaken[rank] === 0 && others.every((near) => near.has(rank)));
  }
}
