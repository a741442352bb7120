/**
 * A machine without its switches that spreads data just as fast: at each switch, edges u → w and w → t are replaced by
 * u → t, as much as no cut becomes too tight for (directed edge splitting: Mader 1982, Frank 1989; for trees Zhao et al.,
 * "ForestColl", 2024). Where a switch has as much capacity in as out, all of it can be replaced.
 */
import type { CapacityGraph } from './capacities.ts';
import { greatestDeficit } from './rate.ts';
import type { TreeProblem } from './scale.ts';
import { Strands } from './strands.ts';

/** A problem without switches, and what its edges are made of. */
export interface SwitchlessProblem {
  readonly problem: TreeProblem;
  readonly strands: Strands;
}

/** Capacity that goes from one node to another over the switch that is being removed. */
interface Split {
  readonly from: number;
  readonly to: number;
  readonly amount: number;
}

export function removeSwitches(problem: TreeProblem): SwitchlessProblem {
  const { graph, roots, trees } = problem;
  const { nodes, chips } = graph;
  const capacity = graph.capacity.slice();
  const strands = new Strands(nodes);
  for (let from = 0; from < nodes; from++) {
    for (let to = 0; to < nodes; to++) {
      const amount = capacity[from * nodes + to];
      if (amount > 0) strands.add(from, to, { through: [], amount });
    }
  }
  const deficit = (): number => greatestDeficit({ nodes, chips, capacity }, roots, trees);
  for (let middle = nodes - 1; middle >= chips; middle--) {
    new Splitting({ nodes, chips, capacity }, strands, middle, deficit).run();
  }
  return { problem: { ...problem, graph: chipsOnly({ nodes, chips, capacity }) }, strands };
}

/** The removal of one switch. */
class Splitting {
  private readonly graph: CapacityGraph;
  private readonly strands: Strands;
  private readonly middle: number;
  private readonly deficit: () => number;

  constructor(graph: CapacityGraph, strands: Strands, middle: number, deficit: () => number) {
    this.graph = graph;
    this.strands = strands;
    this.middle = middle;
    this.deficit = deficit;
  }

  /**
   * First everything at once, spread evenly: many short ways make shallow trees. Then what has no other way first. At the
   * end pair by pair as much as goes: a pair that has been tried alone never becomes possible again, so one pass is enough.
   */
  run(): void {
    const { nodes, capacity } = this.graph;
    if (!this.applied(this.evenly(() => true))) {
      const distance = this.distancesAround();
      const distances = [...new Set(distance)].sort((a, b) => b - a);
      for (const far of distances) this.applied(this.evenly((from, to) => distance[from * nodes + to] === far));
    }
    this.split(this.everyPair());
    for (let node = 0; node < nodes; node++) {
      capacity[node * nodes + this.middle] = 0;
      capacity[this.middle * nodes + node] = 0;
    }
  }

  /** Every pair of ends gets its share of what comes in and of what goes out. */
  private evenly(wanted: (from: number, to: number) => boolean): Split[] {
    const { nodes } = this.graph;
    const splits: Split[] = [];
    const incoming = new Float64Array(nodes);
    const outgoing = new Float64Array(nodes);
    for (const { from, to } of this.everyPair()) {
      if (!wanted(from, to)) continue;
      outgoing[from] += this.leaving(to);
      incoming[to] += this.entering(from);
    }
    for (const { from, to } of this.everyPair()) {
      if (!wanted(from, to)) continue;
      const product = this.entering(from) * this.leaving(to);
      const amount = Math.floor(Math.min(product / outgoing[from], product / incoming[to]));
      if (amount > 0) splits.push({ from, to, amount });
    }
    return splits;
  }

  /** All pairs of ends with room, neighbours in number first, each with as much as it could take alone. */
  private everyPair(): Split[] {
    const { nodes } = this.graph;
    const splits: Split[] = [];
    for (let shift = 1; shift < nodes; shift++) {
      for (let from = 0; from < nodes; from++) {
        const to = (from + shift) % nodes;
        const amount = Math.min(this.entering(from), this.leaving(to));
        if (amount > 0) splits.push({ from, to, amount });
      }
    }
    return splits;
  }

  /** Applies as much of the splits as goes, halving the list until single ones are what is too much. */
  private split(splits: readonly Split[]): void {
    const possible = splits.filter(({ from, to }) => this.entering(from) > 0 && this.leaving(to) > 0);
    if (possible.length === 0) return;
    const made = this.apply(possible);
    const deficit = this.deficit();
    if (deficit === 0) {
      this.keep(made);
      return;
    }
    this.undo(made);
    if (possible.length === 1) {
      // Cuts that got too tight lost exactly what was split, so this is what they can spare.
      this.keep(this.apply([{ ...possible[0], amount: made[0].amount - deficit }]));
      return;
    }
    const half = possible.length >> 1;
    this.split(possible.slice(0, half));
    this.split(possible.slice(half));
  }

  /** Applies the splits if all of them together are possible. */
  private applied(splits: readonly Split[]): boolean {
    if (splits.length === 0) return true;
    const made = this.apply(splits);
    if (this.deficit() === 0) {
      this.keep(made);
      return true;
    }
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

  private undo(made: readonly Split[]): void {
    for (const { from, to, amount } of made) this.change(from, to, -amount);
  }

  private keep(made: readonly Split[]): void {
    for (const { from, to, amount } of made) this.strands.join(from, this.middle, to, amount);
  }

  private change(from: number, to: number, amount: number): void {
    const { nodes, capacity } = this.graph;
    capacity[from * nodes + this.middle] -= amount;
    capacity[this.middle * nodes + to] -= amount;
    capacity[from * nodes + to] += amount;
  }

  private entering(from: number): number {
    return this.graph.capacity[from * this.graph.nodes + this.middle];
  }

  private leaving(to: number): number {
    return this.graph.capacity[this.middle * this.graph.nodes + to];
  }

  /** Links between all nodes that have one to the switch, by ways around it; Infinity where there is none. */
  private distancesAround(): Float64Array {
    const { nodes, capacity } = this.graph;
    const distance = new Float64Array(nodes * nodes).fill(Number.POSITIVE_INFINITY);
    for (let start = 0; start < nodes; start++) {
      if (this.entering(start) === 0) continue;
      distance[start * nodes + start] = 0;
      const queue = [start];
      for (const node of queue) {
        for (let next = 0; next < nodes; next++) {
          if (next === this.middle || capacity[node * nodes + next] === 0) continue;
          if (distance[start * nodes + next] !== Number.POSITIVE_INFINITY) continue;
          distance[start * nodes + next] = distance[start * nodes + node] + 1;
          queue.push(next);
        }
      }
    }
    return distance;
  }
}

function chipsOnly({ nodes, chips, capacity }: CapacityGraph): CapacityGraph {
  const kept = new Float64Array(chips * chips);
  for (let from = 0; from < chips; from++) {
    for (let to = 0; to < chips; to++) kept[from * chips + to] = capacity[from * nodes + to];
  }
  return { nodes: chips, chips, capacity: kept };
}
