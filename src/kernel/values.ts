/** Symbolic values, for section 6 of docs/verification.md: trees of reductions over input chunks. Equal values have equal numbers. */
import { allowsRepeats, keepsOrder } from './collective.ts';
import { none, Refusal } from './refusal.ts';
import { type CollectiveRecord, itemAt } from './tables.ts';

const maxSteps = 2 ** 30;

/**
 * All values of a run. A value is a leaf, such as an input chunk, or the reduction of two values. Each distinct tree is there once: two reductions
 * are the same value if they combine the same values, in the same order if the operator keeps order.
 */
export class Values {
  private readonly keepsOrder: boolean;
  private readonly allowsRepeats: boolean;
  /** By value: its bytes; those of a reduction are those of its left operand. */
  private readonly bytes: number[] = [];
  /** By value: its operands, `none` for a leaf. */
  private readonly left: number[] = [];
  private readonly right: number[] = [];
  /** By value: the reduction that was made last with it on the left; by reduction, the one made before that. `none` where there is none. */
  private readonly newest: number[] = [];
  private readonly older: number[] = [];
  private steps = 0;

  constructor(collective: CollectiveRecord) {
    this.keepsOrder = keepsOrder(collective);
    this.allowsRepeats = allowsRepeats(collective);
  }

  /** The number of values, which the next value gets as its number. */
  get count(): number {
    return this.bytes.length;
  }

  bytesOf(value: number): number {
    return itemAt(this.bytes, value);
  }

  /** A new value that is no reduction. */
  addLeaf(bytes: number): number {
    return this.add(bytes, none, none, none);
  }

  /** The value x ⊕ y. */
  combine(x: number, y: number): number {
    if (x === y && this.allowsRepeats) return x;
    const [left, right] = this.keepsOrder || x <= y ? [x, y] : [y, x];
    const newest = itemAt(this.newest, left);
    for (let value = newest; value !== none; value = itemAt(this.older, value)) {
      if (this.right[value] === right) return value;
      this.countStep();
    }
    const value = this.add(this.bytesOf(left), left, right, newest);
    this.newest[left] = value;
    return value;
  }

  /** Whether a value combines exactly the given leaves: in this order if order matters, and each as often unless repeats do no harm. */
  isReductionOf(value: number, leaves: readonly number[]): boolean {
    return value !== none && this.normalForm(this.leavesOf(value, leaves.length)) === this.normalForm([...leaves]);
  }

  private add(bytes: number, left: number, right: number, older: number): number {
    this.bytes.push(bytes);
    this.left.push(left);
    this.right.push(right);
    this.newest.push(none);
    this.older.push(older);
    return this.bytes.length - 1;
  }

  /** The leaves of a value from left to right. A value with more leaves than `enough` is followed only where they may be repeats. */
  private leavesOf(value: number, enough: number): number[] {
    const leaves: number[] = [];
    const open = [value];
    const seen = new Set<number>();
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (!this.allowsRepeats && leaves.length > enough) break;
      this.countStep();
      if (seen.has(next)) continue;
      // If neither order nor repeats matter, a value that has been met has nothing to add.
      if (this.allowsRepeats && !this.keepsOrder) seen.add(next);
      const [left, right] = [itemAt(this.left, next), itemAt(this.right, next)];
      if (left === none) leaves.push(next);
      else open.push(right, left);
    }
    return leaves;
  }

  /** Two lists of leaves with the same normal form give the same result. Repeats that do no harm are dropped where they stand side by side. */
  private normalForm(leaves: number[]): string {
    if (!this.keepsOrder) leaves.sort((a, b) => a - b);
    return leaves.filter((leaf, i) => !this.allowsRepeats || leaf !== leaves[i - 1]).join();
  }

  private countStep(): void {
    if (this.steps++ >= maxSteps) throw new Refusal('limit', 'to tell results apart takes more than 2 ** 30 steps');
  }
}
