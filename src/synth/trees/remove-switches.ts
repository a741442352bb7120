/**
 * Removes switches from a machine while preserving its spreading rate: at each switch, edges u → w and w → t are
 * replaced by u → t, as much as no cut becomes violated (directed edge splitting: Mader 1982, Frank 1989; for trees
 * Zhao et al., "ForestColl", 2024). A switch with equal capacity in and out can be replaced completely.
 */
import { greatestCommonDivisor } from '../../ir/whole-numbers.ts';
import { type TightCut, tightCut } from './rate.ts';
import type { TreeProblem } from './scale.ts';

/**
 * The problem among chips alone. If switches have less capacity in than out, the remaining capacity may not suffice.
 */
export function removeSwitches(problem: TreeProblem): TreeProblem {
  const { nodes, chips } = problem.graph;
  if (nodes === chips) return problem;
  const graph = { ...problem.graph, capacity: problem.graph.capacity.slice() };
  for (let removed = nodes - 1; removed >= chips; removed--) new Splitting({ ...problem, graph }, removed).run();
  const kept = new Float64Array(chips * chips);
  for (const edge of kept.keys()) kept[edge] = graph.capacity[Math.floor(edge / chips) * nodes + (edge % chips)];
  return { ...problem, graph: { ...graph, nodes: chips, capacity: kept } };
}

/** Capacity that two edges over the switch pass to a direct edge; an upper limit. */
interface Split {
  readonly from: number;
  readonly to: number;
  readonly amount: number;
}

/** Detours, in seconds, that differ by less than this count as equal. */
const sameDetour = 1e-13;

/** Splits the edges of one switch in the problem's graph. If time is up, the rest of the switch is dropped. */
class Splitting {
  private readonly problem: TreeProblem;
  private readonly nodes: number;
  private readonly capacity: Float64Array;
  private readonly removed: number;

  constructor(problem: TreeProblem, removed: number) {
    this.problem = problem;
    this.nodes = problem.graph.nodes;
    this.capacity = problem.graph.capacity;
    this.removed = removed;
  }

  /**
   * Pairs of ends for which the switch is no detour come first, since messages take shortest routes. These are split
   * all at once, in proportion: many short edges make shallow trees. If a cut forbids that, pairs are split one by one
   * as far as possible.
   */
  run(): void {
    const everything = this.pairs();
    for (const pairs of this.byDetour(everything)) {
      const shared = this.sharedOut(pairs);
      if (!this.applied([...shared, ...pairs.map((pair) => ({ ...pair, amount: 1 })), ...pairs])) {
        this.split(shared);
        this.split(pairs);
      }
      if (!this.hasSwitchBeside() && this.cutIfUnneeded()) return;
    }
    // Edges that go to the switch and back to the same node may hinder the rest.
    const ends = Array.from({ length: this.nodes }, (_, node) => node);
    this.split(ends.map((node) => ({ from: node, to: node, amount: Number.POSITIVE_INFINITY })));
    this.split(everything);
    this.cut();
  }

  /** All pairs of ends with capacity, interleaved over both ends. */
  private pairs(): Split[] {
    const { nodes } = this;
    const splits: Split[] = [];
    const stride = goldenStride(nodes);
    for (let shift = stride; shift !== 0; shift = (shift + stride) % nodes) {
      for (let from = 0; from < nodes; from++) {
        const pair = { from, to: (from + shift) % nodes, amount: Number.POSITIVE_INFINITY };
        if (this.room(pair) > 0) splits.push(pair);
      }
    }
    return splits;
  }

  /** Groups of pairs with equal detours over the switch, the shortest first. */
  private byDetour(pairs: readonly Split[]): Iterable<readonly Split[]> {
    const { nodes, removed } = this;
    const { distance } = this.problem.graph;
    const levels = new Map<number, Split[]>();
    for (const pair of pairs) {
      const over = distance[pair.from * nodes + removed] + distance[removed * nodes + pair.to];
      const detour = Math.round((over - distance[pair.from * nodes + pair.to]) / sameDetour);
      const level = levels.get(detour);
      if (level === undefined) levels.set(detour, [pair]);
      else level.push(pair);
    }
    return [...levels].sort(([a], [b]) => a - b).map(([, level]) => level);
  }

  /**
   * Distributes the capacity. Normally every pair gets its share of incoming and outgoing capacity. If several roots
   * have trees and that share is less than one root's trees need, pairs get as much as there is one after the other:
   * messages from one end to several others wait for both of their ends, which leaves links idle. A single root has
   * trees for all capacity, and narrow edges make these shallow.
   */
  private sharedOut(pairs: readonly Split[]): Split[] {
    const incoming = new Float64Array(this.nodes);
    const outgoing = new Float64Array(this.nodes);
    const least = this.problem.roots.length > 1 ? this.problem.trees : 0;
    const open = pairs.filter((pair) => this.room(pair) > 0);
    for (const { from, to } of open) {
      outgoing[from] += this.leaving(to);
      incoming[to] += this.entering(from);
    }
    return open.map(({ from, to }) => {
      const product = this.entering(from) * this.leaving(to);
      const even = Math.floor(Math.min(product / outgoing[from], product / incoming[to]));
      return { from, to, amount: even < least ? Number.POSITIVE_INFINITY : even };
    });
  }

  /**
   * Applies as much of the splits as possible, halving the list until single splits fail. A split that is impossible
   * once stays impossible, since cuts only get tighter: one pass is enough.
   */
  private split(splits: readonly Split[]): void {
    const possible = splits.filter((pair) => this.room(pair) > 0);
    if (possible.length === 0 || this.problem.shouldStop?.() === true || this.applied(possible)) return;
    if (possible.length > 1) {
      const half = possible.length >> 1;
      this.split(possible.slice(0, half));
      this.split(possible.slice(half));
      return;
    }
    // A violated cut lacks part of the amount; the rest can be split.
    for (let amount = this.room(possible[0]); amount > 0; ) {
      const made = this.apply([{ ...possible[0], amount }]);
      const cut = this.tightCut();
      if (cut === undefined) return;
      this.undo(made);
      amount -= cut.missing;
    }
  }

  /** Applies the splits if all of them together are possible. */
  private applied(splits: readonly Split[]): boolean {
    const made = this.apply(splits);
    if (this.tightCut() === undefined) return true;
    this.undo(made);
    return false;
  }

  /** Changes capacities as far as there is room, and returns the amounts. */
  private apply(splits: readonly Split[]): Split[] {
    const made: Split[] = [];
    for (const split of splits) {
      const amount = Math.min(split.amount, this.room(split));
      if (amount <= 0) continue;
      this.change(split, amount);
      made.push({ ...split, amount });
    }
    return made;
  }

  private undo(made: readonly Split[]): void {
    for (const split of made) this.change(split, -split.amount);
  }

  private change({ from, to }: Split, amount: number): void {
    const { nodes, capacity, removed } = this;
    capacity[from * nodes + removed] -= amount;
    capacity[removed * nodes + to] -= amount;
    if (from !== to) capacity[from * nodes + to] += amount;
  }

  private tightCut(): TightCut | undefined {
    return tightCut(this.problem, this.problem.trees);
  }

  /** Whether another switch would lose its balance if the rest of this one were removed. */
  private hasSwitchBeside(): boolean {
    const { chips } = this.problem.graph;
    for (let other = chips; other < this.nodes; other++)
      if (this.entering(other) + this.leaving(other) > 0) return true;
    return false;
  }

  /** Removes the rest of the switch if the rate does not need it. */
  private cutIfUnneeded(): boolean {
    const before = this.capacity.slice();
    this.cut();
    if (this.tightCut() === undefined) return true;
    this.capacity.set(before);
    return false;
  }

  private cut(): void {
    const { nodes, capacity, removed } = this;
    for (let node = 0; node < nodes; node++) {
      capacity[node * nodes + removed] = 0;
      capacity[removed * nodes + node] = 0;
    }
  }

  private room({ from, to }: Split): number {
    return Math.min(this.entering(from), this.leaving(to));
  }

  private entering(from: number): number {
    return this.capacity[from * this.nodes + this.removed];
  }

  private leaving(to: number): number {
    return this.capacity[this.removed * this.nodes + to];
  }
}

/** A stride that visits all of 0 … n − 1 without large gaps: near the golden section, and coprime to n. */
function goldenStride(n: number): number {
  let stride = Math.max(1, Math.round(n * 0.618));
  while (greatestCommonDivisor(stride, n) !== 1) stride--;
  return stride;
}
