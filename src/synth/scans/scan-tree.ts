/**
 * Trees whose ranks stand in order: the ranks below a rank are a run with it, and so are those below each of its children (the in-order trees of
 * Sanders and Träff 2006, of any degree). Sums go up such a tree, and what comes before goes down, in a scan of 2 × height messages one after the other that puts
 * one vector each way on an edge.
 */
import { alone, joinedSpans, type RankSpan } from './tree-telling.ts';

/** Children on one side of a rank. */
const mostChildren = 2;

/** What makes a tree slow, beside messages one after the other, in as many of these. */
export interface ScanTreeCosts {
  /** A hop more than one between a child and its parent: some link carries a vector twice. */
  readonly detour: number;
  /** A reduction more of each byte, on the rank that has most. */
  readonly reduction: number;
}

/** Some trees side by side, the children of a rank, in rank order. */
interface Trees {
  readonly children: readonly RankSpan[];
  /** Of all of them. */
  readonly detours: number;
  /** Of the rank that has most. */
  readonly reductions: number;
  /** One after the other, up and down the highest. */
  readonly messages: number;
  /** What they cost, in messages. */
  readonly cost: number;
}

function none(cost = 0): Trees {
  return { children: [], detours: 0, reductions: 0, messages: 0, cost };
}

/** The tree in which each rank is below the one before it. */
export function chainOf(ranks: number): RankSpan {
  let below = alone(ranks - 1);
  for (let rank = ranks - 2; rank >= 0; rank--) below = joinedSpans([alone(rank), below]);
  return below;
}

/** Trees as good as any for the prices, by dynamic programming over runs: what is below a rank falls into what is before it and what is after. */
export class ScanTrees {
  private readonly ranks: number;
  private readonly prices: ScanTreeCosts;
  private readonly distances: readonly Float64Array[];
  /** By rank: those near enough to be its parent or child. */
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

  /** The best tree with one of some roots. */
  treeOf(roots: readonly number[]): RankSpan {
    const trees = roots.map((root) => this.under(0, this.ranks - 1, root));
    return trees.reduce((best, tree) => (tree.cost < best.cost ? tree : best)).children[0];
  }

  /** The best tree for ranks `first` … `last` with a root. */
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

  /** The best children of a rank for a run beside it, in each number that there may be of them. */
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

  /** Reductions of a rank with so many children: sums up to and including each of them, and the same with what comes before the run. */
  private merges(first: number, last: number, lower: number, upper: number): number {
    const handedDown = Math.max(0, lower - 1) + 1 + Math.max(0, upper - 1);
    if (first === 0) return lower + upper;
    return last === this.ranks - 1 ? lower + 1 + Math.max(0, upper - 1) : lower + upper + handedDown;
  }
}
