/**
 * Trees whose ranks stand in order: the ranks below a rank are a run with it, and so are those below each of its children (the in-order trees of
 * Sanders and Träff 2006, of any degree). Sums go up such a tree, and what comes before goes down, in a scan of 2 × height messages one after the other that puts
 * one vector each way on an edge.
 */
import { limits } from './limits.ts';
import type { Part } from './tree-telling.ts';

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

/** The tree in which each rank is below the one before it. */
export function chainOf(ranks: number): Part {
  let below = alone(ranks - 1);
  for (let rank = ranks - 2; rank >= 0; rank--) below = { rank, first: rank, end: ranks, parts: [alone(rank), below] };
  return below;
}

function alone(rank: number): Part {
  return { rank, first: rank, end: rank + 1, parts: [] };
}

/** Trees as good as any for the prices, by dynamic programming over runs: what is below a rank falls into what is before it and what is after. */
export class ScanTrees {
  private readonly ranks: number;
  private readonly prices: Prices;
  private readonly distances: readonly Float64Array[];
  /** By rank: those near enough to be its parent or child. */
  private readonly near: readonly (readonly number[])[];
  /** By number of children: the best children for what is between the far end of a run and a rank, not counting the rank itself. */
  private readonly before: readonly Side[];
  private readonly after: readonly Side[];
  /** By first rank, last rank and root. */
  private readonly whole: Int32Array;
  /** How many children the root has before it, times (most + 1), and after it. */
  private readonly degrees: Uint8Array;

  /** @param distances hops between ranks, by source */
  constructor(distances: readonly Float64Array[], prices: Prices) {
    const ranks = distances.length;
    this.ranks = ranks;
    this.prices = prices;
    this.distances = distances;
    this.near = distances.map((far, rank) =>
      [...far.keys()].filter(
        (other) => other !== rank && (Math.abs(other - rank) === 1 || far[other] <= limits.children),
      ),
    );
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

  treeOf(root: number): Part {
    return this.tree(0, this.ranks - 1, root);
  }

  private ofLength(length: number): void {
    const { ranks } = this;
    for (let first = 0; first + length <= ranks; first++) {
      for (let root = first; root < first + length; root++) this.join(first, first + length - 1, root);
    }
    for (let first = 0; first + length < ranks; first++) {
      this.extend(this.before, first, first + length);
      this.extend(this.after, first + length, first);
    }
  }

  private cell(first: number, last: number, root: number): number {
    return (first * this.ranks + last) * this.ranks + root;
  }

  /** The best of what is before a root with what is after it. */
  private join(first: number, last: number, root: number): void {
    const cell = this.cell(first, last, root);
    let least = Number.POSITIVE_INFINITY;
    for (const [lower, below] of this.choices(this.before, first, root)) {
      for (const [upper, above] of this.choices(this.after, last, root)) {
        const cost = together(together(below, above), this.merges(first, last, lower, upper) << reductions);
        const priced = this.priced(cost);
        if (priced >= least) continue;
        least = priced;
        this.whole[cell] = cost;
        this.degrees[cell] = lower * (limits.children + 1) + upper;
      }
    }
  }

  /** Numbers of children between a far end and a root, and their costs. */
  private choices(sides: readonly Side[], far: number, root: number): (readonly [number, number])[] {
    if (far === root) return [[0, 0]];
    const costs = sides.map((side, index) => [index + 1, side.costs[far * this.ranks + root]] as const);
    return costs.filter(([, cost]) => cost >= 0);
  }

  /** Reductions of a rank with so many children: sums up to and including each of them, and the same with what comes before the run. */
  private merges(first: number, last: number, lower: number, upper: number): number {
    const handedDown = Math.max(0, lower - 1) + 1 + Math.max(0, upper - 1);
    if (first === 0) return lower + upper;
    return last === this.ranks - 1 ? lower + 1 + Math.max(0, upper - 1) : lower + upper + handedDown;
  }

  /** Children of `rank` for the ranks between it and a far end, that one included: the farthest of them, and the best fewer ones for the rest. */
  private extend(sides: readonly Side[], far: number, rank: number): void {
    const { ranks, whole } = this;
    const towards = Math.sign(rank - far);
    const isOneWay = far === (towards > 0 ? 0 : ranks - 1);
    const at = far * ranks + rank;
    for (const child of this.near[rank]) {
      if ((child - far) * towards < 0 || (rank - child) * towards < 0) continue;
      for (let edge = child; edge !== rank; edge += towards) {
        const cell = this.cell(Math.min(far, edge), Math.max(far, edge), child);
        const cost = this.under(whole[cell], rank, child, isOneWay);
        const rest = (edge + towards) * ranks + rank;
        if (edge + towards === rank) sides[0].note(at, cost, this.priced(cost), child, edge);
        else
          for (let count = 1; count < sides.length; count++) {
            const others = sides[count - 1].costs[rest];
            if (others < 0) continue;
            const all = together(cost, others);
            sides[count].note(at, all, this.priced(all), child, edge);
          }
      }
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

  private tree(first: number, last: number, rank: number): Part {
    const degrees = this.degrees[this.cell(first, last, rank)];
    const before = this.children(this.before, first, rank, Math.floor(degrees / (limits.children + 1)));
    const after = this.children(this.after, last, rank, degrees % (limits.children + 1));
    if (before.length + after.length === 0) return alone(rank);
    return { rank, first, end: last + 1, parts: [...before, alone(rank), ...after.reverse()] };
  }

  /** So many children between a far end and a rank, the farthest first. */
  private children(sides: readonly Side[], far: number, rank: number, count: number): Part[] {
    if (count === 0) return [];
    const { children, edges } = sides[count - 1];
    const at = far * this.ranks + rank;
    const edge = edges[at];
    const child = this.tree(Math.min(far, edge), Math.max(far, edge), children[at]);
    return [child, ...this.children(sides, edge + Math.sign(rank - far), rank, count - 1)];
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
