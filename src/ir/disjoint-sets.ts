/** Disjoint sets of the numbers 0 … count − 1 (union–find with path halving). The min of a set represents it. */
import { intAt } from './indexing.ts';
export class DisjointSets {
  private readonly parent: Int32Array;

  /** Starts with one set per number. */
  constructor(count: number) {
    this.parent = Int32Array.from({ length: count }, (_, number) => number);
  }

  /** The representative of the set that a number is in: its min. */
  of(number: number): number {
    const { parent } = this;
    let at = number;
    while (parent[at] !== at) {
      parent[at] = intAt(parent, intAt(parent, at));
      at = intAt(parent, at);
    }
    return at;
  }

  /** Unites the sets of two numbers. Returns false if they were the same set already. */
  join(a: number, b: number): boolean {
    const [x, y] = [this.of(a), this.of(b)];
    this.parent[Math.max(x, y)] = Math.min(x, y);
    return x !== y;
  }
}
