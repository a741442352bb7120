/**
 * Symbolic values: trees of reductions over input chunks. Each distinct tree is stored once (hash-consing), so equal values have equal numbers. Input
 * chunks come first, rank by rank; reductions follow in the order in which they were made.
 */
import { type Collective, type Contribution, inputChunks } from '../ir/collective.ts';
import { IntColumn } from '../ir/column.ts';

export class CombinationTable {
  /** Leaves of rank r are `firstLeaf[r] … firstLeaf[r + 1] − 1`. */
  private readonly firstLeaf: Float64Array;
  /** A leaf that no collective asks for: the content of memory that nothing has written. */
  readonly unknown: number;
  /** Another such leaf: what is left of a chunk that did not fit where it was stored. */
  readonly cutOff: number;
  private readonly leaves: number;
  /** Whether the order of operands matters; if not, x ⊕ y and y ⊕ x are one value. */
  private readonly ordered: boolean;
  private readonly left = new IntColumn();
  private readonly right = new IntColumn();
  /** By value: its first and last leaf in the order of the operands, and whether its leaves are in (weakly) ascending order. */
  private readonly first = new IntColumn();
  private readonly last = new IntColumn();
  private readonly ascends = new IntColumn();
  /** Open-addressed hash table of reductions; −1 is empty. */
  private table = new Int32Array(1024).fill(-1);

  constructor(collective: Collective, ordered: boolean) {
    this.firstLeaf = new Float64Array(collective.ranks + 1);
    for (let rank = 0; rank < collective.ranks; rank++) {
      this.firstLeaf[rank + 1] = this.firstLeaf[rank] + inputChunks(collective, rank);
    }
    this.unknown = this.firstLeaf[collective.ranks];
    this.cutOff = this.unknown + 1;
    this.leaves = this.cutOff + 1;
    this.ordered = ordered;
  }

  leaf(rank: number, chunk: number): number {
    return this.firstLeaf[rank] + chunk;
  }

  isLeaf(value: number): boolean {
    return value < this.leaves;
  }

  /** Returns the input chunk that a leaf stands for; not defined for `unknown` and `cutOff`. */
  contribution(leaf: number): Contribution {
    let low = 0;
    let high = this.firstLeaf.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.firstLeaf[middle] <= leaf) low = middle;
      else high = middle;
    }
    while (this.firstLeaf[low + 1] <= leaf) low++;
    return { rank: low, chunk: leaf - this.firstLeaf[low] };
  }

  /** Returns the value left ⊕ right. */
  combine(left: number, right: number): number {
    const [a, b] = this.ordered || left <= right ? [left, right] : [right, left];
    let slot = this.slotOf(a, b);
    if (this.table[slot] !== -1) return this.leaves + this.table[slot];
    if (2 * this.left.length >= this.table.length) {
      this.grow();
      slot = this.slotOf(a, b);
    }
    const node = this.left.length;
    this.table[slot] = node;
    this.left.push(a);
    this.right.push(b);
    this.first.push(this.firstOf(a));
    this.last.push(this.lastOf(b));
    this.ascends.push(this.inOrder(a) && this.inOrder(b) && this.lastOf(a) <= this.firstOf(b) ? 1 : 0);
    return this.leaves + node;
  }

  /** Returns the operands of a reduction, or undefined for a leaf. */
  operands(value: number): readonly [left: number, right: number] | undefined {
    return this.isLeaf(value) ? undefined : [this.left.at(value - this.leaves), this.right.at(value - this.leaves)];
  }

  /** Whether the leaves of a value (of one chunk) are in rank order from left to right. */
  inOrder(value: number): boolean {
    return this.isLeaf(value) || this.ascends.at(value - this.leaves) === 1;
  }

  /** The first leaf of a value, in the order of its operands. */
  firstOf(value: number): number {
    return this.isLeaf(value) ? value : this.first.at(value - this.leaves);
  }

  /**
   * Returns the leaves of a value from left to right, each as often as it occurs, but at most `limit` of them: a tree of few nodes may have
   * exponentially many leaves, since subtrees are shared. With `distinct`, each leaf is returned once.
   */
  contents(value: number, limit: number, distinct = false): number[] {
    const found: number[] = [];
    const seen = new Set<number>();
    const open = [value];
    for (let next = open.pop(); next !== undefined && found.length < limit; next = open.pop()) {
      if (distinct) {
        if (seen.has(next)) continue;
        seen.add(next);
      }
      if (this.isLeaf(next)) found.push(next);
      else open.push(this.right.at(next - this.leaves), this.left.at(next - this.leaves));
    }
    return found;
  }

  private lastOf(value: number): number {
    return this.isLeaf(value) ? value : this.last.at(value - this.leaves);
  }

  /** Returns the position of a ⊕ b in the hash table, or the empty position where it belongs. */
  private slotOf(a: number, b: number): number {
    const mask = this.table.length - 1;
    let slot = (Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & mask;
    for (; this.table[slot] !== -1; slot = (slot + 1) & mask) {
      if (this.left.at(this.table[slot]) === a && this.right.at(this.table[slot]) === b) break;
    }
    return slot;
  }

  private grow(): void {
    this.table = new Int32Array(2 * this.table.length).fill(-1);
    for (let node = 0; node < this.left.length; node++) {
      this.table[this.slotOf(this.left.at(node), this.right.at(node))] = node;
    }
  }
}
