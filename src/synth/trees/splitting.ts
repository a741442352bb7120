/** The removal of one switch from a graph of capacities (see remove-switches.ts). */
import type { ShouldStop } from '../../ir/effort.ts';
import { greatestCommonDivisor } from '../../ir/whole-numbers.ts';
import type { CapacityGraph } from './capacities.ts';
import { canSpread, greatestDeficit } from './rate.ts';
import type { TreeProblem } from './scale.ts';

/** Capacity that goes from one node to another over the switch that is being removed. */
interface Split {
  readonly from: number;
  readonly to: number;
  readonly amount: number;
}

/** Replaces edges to and from a switch by edges past it, in the problem's own graph. */
export class Splitting {
  private readonly problem: TreeProblem;
  private readonly graph: CapacityGraph;
  private readonly middle: number;
  private readonly shouldStop: ShouldStop | undefined;

  /** @param shouldStop when true what is left of the switch is given up */
  constructor(problem: TreeProblem, middle: number, shouldStop?: ShouldStop) {
    this.shouldStop = shouldStop;
    this.problem = problem;
    this.graph = problem.graph;
    this.middle = middle;
  }

  /**
   * Pairs of ends between which the switch is no detour come first. Of these, everything at once, spread evenly: many short
   * ways make shallow trees. Where that is too much for some cut, pair by pair as much as goes.
   */
  run(distance: Float64Array, careful: boolean): void {
    const { nodes } = this.graph;
    const detour = (from: number, to: number): number =>
      distance[from * nodes + this.middle] + distance[this.middle * nodes + to] - distance[from * nodes + to];
    const everything = this.pairs(() => true);
    for (const level of levelsOf(everything.map(({ from, to }) => detour(from, to)))) {
      const pairs = this.pairs((from, to) => Math.abs(detour(from, to) - level) <= sameDetour);
      if (!this.applied(this.spread(pairs))) {
        this.applied(this.evenly(pairs));
        this.split(pairs);
      }
      if (!(careful && this.hasSwitchBeside()) && this.isUnneeded()) {
        this.cut();
        return;
      }
    }
    // What only goes there and back can be in the way of the rest.
    this.split(this.loops());
    this.split(this.pairs(() => true));
    this.cut();
  }

  /** All pairs of ends with room, each with as much as it could take alone; pairs of one end are spread over all others. */
  private pairs(wanted: (from: number, to: number) => boolean): Split[] {
    const { nodes } = this.graph;
    const splits: Split[] = [];
    const stride = goldenStride(nodes);
    for (let shift = stride; shift !== 0; shift = (shift + stride) % nodes) {
      for (let from = 0; from < nodes; from++) {
        const to = (from + shift) % nodes;
        const amount = Math.min(this.entering(from), this.leaving(to));
        if (amount > 0 && wanted(from, to)) splits.push({ from, to, amount });
      }
    }
    return splits;
  }

  /** From every end back to itself: capacity that is given up. */
  private loops(): Split[] {
    const ends = Array.from({ length: this.graph.nodes }, (_, node) => node);
    return ends.map((node) => ({ from: node, to: node, amount: Math.min(this.entering(node), this.leaving(node)) }));
  }

  /** Everything that pairs can take together: equal shares, of what is left a unit each, and then what still goes. */
  private spread(pairs: readonly Split[]): Split[] {
    return [...this.evenly(pairs), ...pairs.map((split) => ({ ...split, amount: 1 })), ...pairs];
  }

  /** Every pair gets its share of what comes in and of what goes out. */
  private evenly(pairs: readonly Split[]): Split[] {
    const incoming = new Float64Array(this.graph.nodes);
    const outgoing = new Float64Array(this.graph.nodes);
    for (const { from, to } of pairs) {
      outgoing[from] += this.leaving(to);
      incoming[to] += this.entering(from);
    }
    return pairs.map(({ from, to }) => {
      const product = this.entering(from) * this.leaving(to);
      return { from, to, amount: Math.floor(Math.min(product / outgoing[from], product / incoming[to])) };
    });
  }

  /**
   * Applies as much of the splits as goes, halving the list until single ones are too much. What cannot be split once never
   * can be, since cuts only get tighter: one pass is enough.
   */
  private split(splits: readonly Split[]): void {
    const possible = splits.filter(({ from, to }) => this.entering(from) > 0 && this.leaving(to) > 0);
    if (possible.length === 0 || this.shouldStop?.() === true) return;
    if (this.applied(possible)) return;
    if (possible.length === 1) {
      // Cuts that get too tight lose exactly what is split, so this is what they can spare.
      const made = this.apply(possible);
      const deficit = greatestDeficit(this.graph, this.problem.roots, this.problem.trees, this.shouldStop);
      this.undo(made);
      this.apply([{ ...possible[0], amount: made[0].amount - deficit }]);
      return;
    }
    const half = possible.length >> 1;
    this.split(possible.slice(0, half));
    this.split(possible.slice(half));
  }

  /** Applies the splits if all of them together are possible. */
  private applied(splits: readonly Split[]): boolean {
    const made = this.apply(splits);
    if (this.isPossible()) return true;
    this.undo(made);
    return false;
  }

  /** Changes capacities, as far as there is room, and says by how much. */
  private apply(splits: readonly Split[]): Split[] {
    const made: Split[] = [];
    for (const { from, to, amount } of splits) {
      const part = Math.min(amount, this.entering(from), this.leaving(to));
      if (part <= 0) continue;
      this.change(from, to, part);
      made.push({ from, to, amount: part });
    }
    return made;
  }

  private isPossible(): boolean {
    return canSpread(this.graph, this.problem.roots, this.problem.trees, this.shouldStop);
  }

  /** Whether another switch would lose its balance if what is left of this one went. */
  private hasSwitchBeside(): boolean {
    const { nodes, chips } = this.graph;
    for (let other = chips; other < nodes; other++) if (this.entering(other) + this.leaving(other) > 0) return true;
    return false;
  }

  /** Whether everything is possible without what is left of the switch. */
  private isUnneeded(): boolean {
    const { nodes, chips, capacity } = this.graph;
    const graph = { nodes, chips, capacity: capacity.slice() };
    const rest = new Splitting({ ...this.problem, graph }, this.middle, this.shouldStop);
    rest.cut();
    return rest.isPossible();
  }

  /** Takes away what is left of the switch. */
  private cut(): void {
    const { nodes, capacity } = this.graph;
    for (let node = 0; node < nodes; node++) {
      capacity[node * nodes + this.middle] = 0;
      capacity[this.middle * nodes + node] = 0;
    }
  }

  private undo(made: readonly Split[]): void {
    for (const { from, to, amount } of made) this.change(from, to, -amount);
  }

  private change(from: number, to: number, amount: number): void {
    const { nodes, capacity } = this.graph;
    capacity[from * nodes + this.middle] -= amount;
    capacity[this.middle * nodes + to] -= amount;
    if (from !== to) capacity[from * nodes + to] += amount;
  }

  private entering(from: number): number {
    return this.graph.capacity[from * this.graph.nodes + this.middle];
  }

  private leaving(to: number): number {
    return this.graph.capacity[this.middle * this.graph.nodes + to];
  }
}

/** Detours by less than this, in seconds, are alike. */
const sameDetour = 1e-13;

/** The different values, least first. */
function levelsOf(detours: readonly number[]): number[] {
  const levels: number[] = [];
  for (const detour of [...detours].sort((a, b) => a - b)) {
    if (levels.length === 0 || detour > levels[levels.length - 1] + sameDetour) levels.push(detour);
  }
  return levels;
}

/** A step that visits all of 0 … n − 1 and leaves no large gaps on the way: near the golden section, and coprime to n. */
function goldenStride(n: number): number {
  let stride = Math.max(1, Math.round(n * 0.618));
  while (greatestCommonDivisor(stride, n) !== 1) stride--;
  return stride;
}
