/** Sets of the numbers 0 … count − 1 that grow together (union–find with halved paths); the least number of a set stands for it. */
import { intAt } from './indexing.ts';
export class DisjointSets {
  private readonly parent: Int32Array;

  /** Every number is alone. */
  constructor(count: number) {
    this.parent = Int32Array.from({ length: count }, (_, number) => number);
  }

  /** The least number of the set that a number is in. */
  of(number: number): number {
    const { parent } = this;
    let at = number;
    while (parent[at] !== at) {
      parent[at] = intAt(parent, intAt(parent, at));
      at = intAt(parent, at);
    }
    return at;
  }

  /** Makes the sets of two numbers one; false if they were one already. */
  join(a: number, b: number): boolean {
    const [x, y] = [this.of(a), this.of(b)];
    this.parent[Math.max(x, y)] = Math.min(x, y);
    return x !== y;
  }
}
