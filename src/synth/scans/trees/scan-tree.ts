/**
 * Trees whose ranks stand in order: the ranks below a rank are a run with it, and so are those below each of its children (the in-order trees of
 * Sanders and Träff 2006, of any degree). Sums go up such a tree, and what comes before goes down, in a scan of 2 × height messages one after the other that puts
 * one vector each way on an edge.
 */
import { limits } from '../limits.ts';

/** A rank with what is below it: ranks `first` … `end` − 1. */
export interface ScanTree {
  readonly rank: number;
  readonly first: number;
  readonly end: number;
  /** Children of lower ranks than its own, in rank order. */
  readonly before: readonly ScanTree[];
  /** Children of higher ranks, in rank order. */
  readonly after: readonly ScanTree[];
}

/** What makes a tree slow, beside messages one after the other, in as many of these. */
export interface Prices {
  /** A hop more than one between a child and its parent: some link carries a vector twice. */
  readonly detour: number;
  /** A reduction more of each byte, on the rank that has most. */
  readonly reduction: number;
}

/** What a tree costs is one number: from these bits on detours, added up, the most reductions of a rank, and messages one after the other. */
const [detours, reductions] = [18, 13];
/** An edge of more hops counts as one of these, so that the parts of the number keep to their bits for up to 128 ranks. */
const mostCounted = 31;

/** Trees as good as any for the prices, by dynamic programming over runs: what is below a rank falls into what is before it and what is after. */
export class ScanTrees {
  private readonly ranks: number;
  private readonly prices: Prices;
  private readonly distances: readonly Float64Array[];
  /** By rank: those near enough to be its parent or child. */
  private readonly near: readonly (readonly number[])[];
  /** By number of children, far end of the run, and rank: the best children for what is between, not counting the rank itself. */
  private readonly before: readonly Side[];
  private readonly after: readonly Side[];
  /** By first rank, last rank and root. */
  private readonly whole: Int32Array;
  /** How many children the root has before it, times (most + 1), and after it. */
  private readonly degrees: Uint8Array;

  /** @param distances hops between ranks, by source */
  constructor(ranks: number, distances: readonly Float64Array[], prices: Prices) {
    this.ranks = ranks;
    this.prices = prices;
    this.distances = distances;
    this.near = Array.from({ length: ranks }, (_, rank) => this.nearTo(rank));
    const sides = () => Array.from({ length: limits.children }, () => new Side(ranks));
    [this.before, this.after] = [sides(), sides()];
    this.whole = new Int32Array(ranks ** 3);
    this.degrees = new Uint8Array(ranks ** 3);
    for (let length = 1; length <= ranks; length++) this.ofLength(length);
  }

  /** What the best tree with a root costs, in messages one after the other. */
  costOf(root: number): number {
    return this.priced(this.whole[this.cell(0, this.ranks - 1, root)]);
  }

  treeOf(root: number): ScanTree {
    return this.tree(0, this.ranks - 1, root);
  }

  private nearTo(rank: number): number[] {
    const near: number[] = [];
    for (let other = 0; other < this.ranks; other++) {
      const isNext = Math.abs(other - rank) === 1;
      if (other !== rank && (isNext || this.distances[rank][other] <= limits.children)) near.push(other);
    }
    return near;
  }

  private ofLength(length: number): void {
    const { ranks } = this;
    for (let first = 0; first + length <= ranks; first++) {
      for (let root = first; root < first + length; root++) this.join(first, first + length - 1, root);
    }
    for (let first = 0; first + length < ranks; first++) {
      this.extendBefore(first, first + length);
      this.extendAfter(first, first + length);
    }
  }

  private cell(first: number, last: number, root: number): number {
    return (first * this.ranks + last) * this.ranks + root;
  }

  /** The best of what is before a root with what is after it. */
  private join(first: number, last: number, root: number): void {
    const { ranks, before, after } = this;
    const cell = this.cell(first, last, root);
    let least = Number.POSITIVE_INFINITY;
    for (let lower = root > first ? 1 : 0; lower <= (root > first ? limits.children : 0); lower++) {
      const below = lower === 0 ? 0 : before[lower - 1].costs[first * ranks + root];
      if (below < 0) continue;
      for (let upper = last > root ? 1 : 0; upper <= (last > root ? limits.children : 0); upper++) {
        const above = upper === 0 ? 0 : after[upper - 1].costs[last * ranks + root];
        if (above < 0) continue;
        const cost = together(together(below, above), this.merges(first, last, lower, upper) << reductions);
        const priced = this.priced(cost);
        if (priced >= least) continue;
        least = priced;
        this.whole[cell] = cost;
        this.degrees[cell] = lower * (limits.children + 1) + upper;
      }
    }
  }

  /** Reductions of a rank with so many children: sums up to and including each of them, and the same with what comes before the run. */
  private merges(first: number, last: number, lower: number, upper: number): number {
    const handedDown = Math.max(0, lower - 1) + 1 + Math.max(0, upper - 1);
    if (first === 0) return lower + upper;
    return last === this.ranks - 1 ? lower + 1 + Math.max(0, upper - 1) : lower + upper + handedDown;
  }

  /** Children of `rank` for the ranks from `first` to before it: the first of them, and the best fewer ones for the rest. */
  private extendBefore(first: number, rank: number): void {
    const { ranks, before, whole } = this;
    const at = first * ranks + rank;
    for (const child of this.near[rank]) {
      if (child < first || child > rank) continue;
      for (let last = child; last < rank; last++) {
        const cost = this.under(whole[this.cell(first, last, child)], rank, child, first === 0);
        if (last === rank - 1) before[0].note(at, cost, this.priced(cost), child, last);
        else this.noteWithRest(before, at, cost, (last + 1) * ranks + rank, child, last);
      }
    }
  }

  /** The same for the ranks after `rank`, to `last`: the last of the children, and the rest. */
  private extendAfter(rank: number, last: number): void {
    const { ranks, after, whole } = this;
    const at = last * ranks + rank;
    for (const child of this.near[rank]) {
      if (child < rank || child > last) continue;
      for (let first = child; first > rank; first--) {
        const cost = this.under(whole[this.cell(first, last, child)], rank, child, last === ranks - 1);
        if (first === rank + 1) after[0].note(at, cost, this.priced(cost), child, first);
        else this.noteWithRest(after, at, cost, (first - 1) * ranks + rank, child, first);
      }
    }
  }

  private noteWithRest(
    sides: readonly Side[],
    at: number,
    cost: number,
    rest: number,
    child: number,
    edge: number,
  ): void {
    for (let count = 1; count < limits.children; count++) {
      const others = sides[count - 1].costs[rest];
      if (others < 0) continue;
      const all = together(cost, others);
      sides[count].note(at, all, this.priced(all), child, edge);
    }
  }

  /** A tree as a child: messages go both ways, but nothing comes before the first of all ranks, and nobody wants the sum up to the last. */
  private under(cost: number, rank: number, child: number, isOneWay: boolean): number {
    const hops = Math.min(mostCounted, this.distances[rank][child]);
    return cost + ((hops - 1) << detours) + (isOneWay ? hops : 2 * hops);
  }

  private priced(cost: number): number {
    const { detour, reduction } = this.prices;
    return (cost >> detours) * detour + mostReductions(cost) * reduction + messages(cost);
  }

  private tree(first: number, last: number, rank: number): ScanTree {
    const { ranks } = this;
    const degrees = this.degrees[this.cell(first, last, rank)];
    const before: ScanTree[] = [];
    let start = first;
    for (let count = Math.floor(degrees / (limits.children + 1)); count > 0; count--) {
      const { children, edges } = this.before[count - 1];
      const at = start * ranks + rank;
      before.push(this.tree(start, edges[at], children[at]));
      start = edges[at] + 1;
    }
    const after: ScanTree[] = [];
    let end = last;
    for (let count = degrees % (limits.children + 1); count > 0; count--) {
      const { children, edges } = this.after[count - 1];
      const at = end * ranks + rank;
      after.unshift(this.tree(edges[at], end, children[at]));
      end = edges[at] - 1;
    }
    return { rank, first, end: last + 1, before, after };
  }
}

/** So many children on one side of a rank, by the far end of what they cover and the rank. */
class Side {
  /** What the dearest costs, detours added up; −1 where there are none. */
  readonly costs: Int32Array;
  private readonly priced: Float64Array;
  /** The child at the far end, and where what is below it ends towards the rank. */
  readonly children: Int16Array;
  readonly edges: Int16Array;

  constructor(ranks: number) {
    this.costs = new Int32Array(ranks * ranks).fill(-1);
    this.priced = new Float64Array(ranks * ranks).fill(Number.POSITIVE_INFINITY);
    this.children = new Int16Array(ranks * ranks);
    this.edges = new Int16Array(ranks * ranks);
  }

  note(at: number, cost: number, priced: number, child: number, edge: number): void {
    if (priced >= this.priced[at]) return;
    this.priced[at] = priced;
    this.costs[at] = cost;
    this.children[at] = child;
    this.edges[at] = edge;
  }
}

function mostReductions(cost: number): number {
  return (cost >> reductions) & (2 ** (detours - reductions) - 1);
}

function messages(cost: number): number {
  return cost & (2 ** reductions - 1);
}

/** Detours of both, and of reductions and messages the more. */
function together(cost: number, other: number): number {
  const sum = (cost >> detours) + (other >> detours);
  const most = Math.max(mostReductions(cost), mostReductions(other));
  return (sum << detours) | (most << reductions) | Math.max(messages(cost), messages(other));
}
