/** Spanning trees that change edge by edge: what packets up them ask of chips and links. */
import type { Random } from '../../ir/random.ts';
import type { Routes } from '../../ir/routes.ts';
import type { Seconds } from '../../ir/units.ts';
import { directArcs } from '../arcs.ts';
import type { Tree } from '../trees/pack.ts';

/** Of each tree and rank, to whom it sends, −1 for the root. */
type Parents = readonly Int32Array[];

export class ChangingTrees {
  private readonly trees: readonly Tree[];
  private readonly whole: number;
  private readonly parent: Parents;
  private readonly depth: Parents;
  /** Of each rank, to whom it has links. */
  private readonly near: readonly (readonly number[])[];
  /** Parts of a packet that a link still has room for, by `keyOf` its ranks. */
  private readonly room = new Map<number, number>();
  /** Parts of a packet that each rank reduces, and what one of them takes there. */
  private readonly reduced: Float64Array;
  private readonly secondsOfPart: Float64Array;

  /**
   * @param trees of one root, with edges away from it; messages go the other way
   * @param linkTime seconds for each byte of the message for which any link may be busy
   */
  constructor(trees: readonly Tree[], linkTime: Seconds, routes: Routes) {
    const { nodes, chips } = routes.topology;
    this.trees = trees;
    this.whole = trees.reduce((sum, { amount }) => sum + amount, 0);
    this.reduced = new Float64Array(chips.length);
    this.secondsOfPart = Float64Array.from(
      chips,
      (chip) => 1 / (nodes[chip].reduce?.throughput ?? Infinity) / this.whole,
    );
    const near: number[][] = chips.map(() => []);
    for (const { from, to, bandwidth } of directArcs(routes)) {
      near[from].push(to);
      this.room.set(this.keyOf(from, to), Math.floor(linkTime * bandwidth * this.whole * (1 + 1e-9)));
    }
    this.near = near;
    this.parent = trees.map(() => new Int32Array(chips.length).fill(-1));
    this.depth = trees.map(() => new Int32Array(chips.length));
    for (const [tree, { edges }] of trees.entries()) {
      for (const { from, to } of edges) this.join(tree, to, from);
      this.measure(tree);
    }
  }

  /** Another parent for some rank in some tree, if that leaves trees; and how to take it back. */
  change(random: Random): (() => void) | undefined {
    const tree = random.below(this.trees.length);
    const rank = random.below(this.reduced.length);
    const old = this.parent[tree][rank];
    const next = this.near[rank][random.below(this.near[rank].length)];
    if (old < 0 || next === old || this.isAbove(tree, rank, next)) return undefined;
    if (this.hasRoom(tree, rank, next)) return this.move([{ tree, rank, from: old, to: next }]);
    const { amount } = this.trees[tree];
    const other = this.trees.findIndex((each, t) => each.amount === amount && this.parent[t][rank] === next);
    if (other < 0 || this.isAbove(other, rank, old)) return undefined;
    return this.move([
      { tree, rank, from: old, to: next },
      { tree: other, rank, from: next, to: old },
    ]);
  }

  /** Seconds of reductions for each byte of the message, of the busiest chip or, smoothly, of all. */
  reduceTime(isSmooth: boolean): Seconds {
    const { reduced, secondsOfPart } = this;
    let [most, sum] = [0, 0];
    for (let rank = 0; rank < reduced.length; rank++) {
      const seconds = reduced[rank] * secondsOfPart[rank];
      most = Math.max(most, seconds);
      sum += eighthPower(seconds);
    }
    return isSmooth ? eighthRoot(sum) : most;
  }

  /** Steps from the deepest leaf to the root, or, smoothly, of all ranks. */
  height(isSmooth: boolean): number {
    let [most, sum] = [0, 0];
    for (const depth of this.depth) {
      for (let rank = 0; rank < depth.length; rank++) {
        most = Math.max(most, depth[rank]);
        sum += eighthPower(depth[rank]);
      }
    }
    return isSmooth ? eighthRoot(sum) : most;
  }

  /** As the trees are now. */
  parents(): Parents {
    return this.parent.map((parents) => parents.slice());
  }

  private move(moves: readonly { tree: number; rank: number; from: number; to: number }[]): () => void {
    for (const { tree, rank, from, to } of moves) this.turn(tree, rank, from, to);
    return () => {
      for (const { tree, rank, from, to } of moves) this.turn(tree, rank, to, from);
    };
  }

  private turn(tree: number, rank: number, from: number, to: number): void {
    const { amount } = this.trees[tree];
    this.reduced[from] -= amount;
    const key = this.keyOf(rank, from);
    this.room.set(key, (this.room.get(key) ?? 0) + amount);
    this.join(tree, rank, to);
    this.measure(tree);
  }

  private join(tree: number, rank: number, parent: number): void {
    const { amount } = this.trees[tree];
    this.parent[tree][rank] = parent;
    this.reduced[parent] += amount;
    const key = this.keyOf(rank, parent);
    this.room.set(key, (this.room.get(key) ?? 0) - amount);
  }

  private hasRoom(tree: number, rank: number, parent: number): boolean {
    return (this.room.get(this.keyOf(rank, parent)) ?? 0) >= this.trees[tree].amount;
  }

  private keyOf(source: number, destination: number): number {
    return source * this.reduced.length + destination;
  }

  /** Whether a rank is on the way from another, or that one itself. */
  private isAbove(tree: number, rank: number, other: number): boolean {
    const parent = this.parent[tree];
    for (let at = other; at >= 0; at = parent[at]) if (at === rank) return true;
    return false;
  }

  private measure(tree: number): void {
    const [depth, parent] = [this.depth[tree], this.parent[tree]];
    depth.fill(-1);
    const measured = (rank: number): number => {
      if (depth[rank] < 0) depth[rank] = parent[rank] < 0 ? 0 : measured(parent[rank]) + 1;
      return depth[rank];
    };
    for (let rank = 0; rank < parent.length; rank++) measured(rank);
  }
}

/** Of powers as high as this the sum hardly shows more than the greatest, but the second greatest, too. */
export function eighthPower(x: number): number {
  const fourth = x * x * (x * x);
  return fourth * fourth;
}

export function eighthRoot(x: number): number {
  return Math.sqrt(Math.sqrt(Math.sqrt(x)));
}
