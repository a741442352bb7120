/**
 * Optimal in-order trees: a rank together with all ranks below it forms a run of consecutive ranks, and so does each child's subtree (the
 * in-order trees of Sanders and Träff 2006, of any degree). A scan sends sums up such a tree and prefixes down; it takes 2 × height
 * consecutive messages and puts one vector each way on an edge.
 * The dynamic program has a state for each of the O(n³) triples of a run and its root.
 */
import { alone, joinedSpans, type RankSpan } from './tree-telling.ts';

/** Maximum children of a rank on each side. */
const mostChildren = 2;

/** Costs of a tree besides its consecutive messages, expressed as a number of such messages. */
export interface ScanTreeCosts {
  /** For each hop beyond the first between a child and its parent: some link carries the vector twice. */
  readonly detour: number;
  /** For each reduction of every byte on the rank that has most of them. */
  readonly reduction: number;
}

/** Adjacent subtrees, the children of one rank, in rank order. */
interface Trees {
  readonly children: readonly RankSpan[];
  /** Sum over all of them. */
  readonly detours: number;
  /** Reductions of the rank that has most. */
  readonly reductions: number;
  /** Consecutive messages up and down the highest of them. */
  readonly messages: number;
  /** Total cost, in messages. */
  readonly cost: number;
}

function none(cost = 0): Trees {
  return { children: [], detours: 0, reductions: 0, messages: 0, cost };
}

/** The chain: each rank is the only child of the one before it. */
export function chainOf(ranks: number): RankSpan {
  let below = alone(ranks - 1);
  for (let rank = ranks - 2; rank >= 0; rank--) below = joinedSpans([alone(rank), below]);
  return below;
}

/** Finds trees of minimum cost by dynamic programming over runs: the ranks below a root are those before it and those after it. */
export class ScanTrees {
  private readonly ranks: number;
  private readonly prices: ScanTreeCosts;
  private readonly distances: readonly Float64Array[];
  /** By rank: the ranks near enough to be its parent or child. */
  private readonly near: readonly (readonly number[])[];
  private readonly trees = new Map<number, Trees>();
  private readonly sides = new Map<number, readonly Trees[]>();

  /** @param distances hops between ranks, by source */
  constructor(distances: readonly Float64Array[], prices: ScanTreeCosts) {
    this.ranks = distances.length;
    this.prices = prices;
    this.distances = distances;
    this.near = distances.map((far, rank) =>
      [...far.keys()].filter((other) => Math.abs(other - rank) === 1 || (other !== rank && far[other] <= mostChildren)),
    );
  }

  /** The best tree over all ranks whose root is one of `roots`. */
  treeOf(roots: readonly number[]): RankSpan {
    const trees = roots.map((root) => this.under(0, this.ranks - 1, root));
    return trees.reduce((best, tree) => (tree.cost < best.cost ? tree : best)).children[0];
  }

  /** The best tree over ranks `first` … `last` with the given root. */
  private under(first: number, last: number, root: number): Trees {
    const key = this.keyOf(first, last, root);
    const known = this.trees.get(key);
    if (known !== undefined) return known;
    let best = none(Number.POSITIVE_INFINITY);
    for (const before of this.beside(first, root - 1, root)) {
      for (const after of this.beside(root + 1, last, root)) {
        const merges = this.merges(first, last, before.children.length, after.children.length);
        const both = this.together(before, after, merges);
        if (both.cost >= best.cost) continue;
        const parts = [...before.children, alone(root), ...after.children];
        best = { ...both, children: [parts.length === 1 ? parts[0] : joinedSpans(parts, root)] };
      }
    }
    this.trees.set(key, best);
    return best;
  }

  /** The best children of a rank that cover a run beside it, for each possible number of children. */
  private beside(first: number, last: number, rank: number): readonly Trees[] {
    if (first > last) return [none()];
    const key = this.keyOf(first, last, rank);
    const known = this.sides.get(key);
    if (known !== undefined) return known;
    const best: Trees[] = [];
    const isBefore = last < rank;
    const isOneWay = isBefore ? first === 0 : last === this.ranks - 1;
    for (const child of this.near[rank].filter((other) => first <= other && other <= last)) {
      const hops = Math.min(this.ranks, this.distances[rank][child]);
      for (let end = child; first <= end && end <= last; end += isBefore ? 1 : -1) {
        const below = isBefore ? this.under(first, end, child) : this.under(end, last, child);
        const rest = isBefore ? this.beside(end + 1, last, rank) : this.beside(first, end - 1, rank);
        const messages = below.messages + (isOneWay ? hops : 2 * hops);
        const farthest = { ...below, detours: below.detours + hops - 1, messages };
        for (const others of rest.filter(({ children }) => children.length < mostChildren)) {
          const all = isBefore ? this.together(farthest, others, 0) : this.together(others, farthest, 0);
          const count = all.children.length - 1;
          if (all.cost < (best[count]?.cost ?? Number.POSITIVE_INFINITY)) best[count] = all;
        }
      }
    }
    const found = best.filter((trees) => trees !== undefined);
    this.sides.set(key, found);
    return found;
  }

  private keyOf(first: number, last: number, rank: number): number {
    return (first * this.ranks + last) * this.ranks + rank;
  }

  private together(before: Trees, after: Trees, merges: number): Trees {
    const { detour, reduction } = this.prices;
    const detours = before.detours + after.detours;
    const reductions = Math.max(before.reductions, after.reductions, merges);
    const messages = Math.max(before.messages, after.messages);
    const cost = detours * detour + reductions * reduction + messages;
    return { children: [...before.children, ...after.children], detours, reductions, messages, cost };
  }

  /**
   * Reductions of a rank with the given numbers of children before and after it: the sums up to each child, and the same combined with the
   * prefix before the run.
   */
  private merges(first: number, last: number, lower: number, upper: number): number {
    const handedDown = Math.max(0, lower - 1) + 1 + Math.max(0, upper - 1);
    if (first === 0) return lower + upper;
    return last === this.ranks - 1 ? lower + 1 + Math.max(0, upper - 1) : lower + upper + handedDown;
  }
}
