/** First-in first-out queues of messages, one for each connection, in shared columns. Each message carries two points in time. */
import { none } from '../../ir/none.ts';

export class MessageQueues {
  private readonly first: Int32Array;
  private readonly last: Int32Array;
  private next = new Int32Array(64);
  private one = new Float64Array(64);
  private other = new Float64Array(64);
  private used = 0;
  /** The head of a free list of entries. */
  private spare = none;

  constructor(count: number) {
    this.first = new Int32Array(count).fill(none);
    this.last = new Int32Array(count).fill(none);
  }

  isEmpty(queue: number): boolean {
    return this.first[queue] === none;
  }

  push(queue: number, one: number, other: number): void {
    const entry = this.entry();
    this.one[entry] = one;
    this.other[entry] = other;
    this.next[entry] = none;
    if (this.first[queue] === none) this.first[queue] = entry;
    else this.next[this.last[queue]] = entry;
    this.last[queue] = entry;
  }

  /** The first time of the first message. Not defined for an empty queue. */
  firstOne(queue: number): number {
    return this.one[this.first[queue]];
  }

  firstOther(queue: number): number {
    return this.other[this.first[queue]];
  }

  /** Takes the first message out. Not defined for an empty queue. */
  shift(queue: number): void {
    const entry = this.first[queue];
    this.first[queue] = this.next[entry];
    this.next[entry] = this.spare;
    this.spare = entry;
  }

  private entry(): number {
    const { spare } = this;
    if (spare !== none) {
      this.spare = this.next[spare];
      return spare;
    }
    if (this.used === this.next.length) this.grow();
    return this.used++;
  }

  private grow(): void {
    const [next, one, other] = [this.next, this.one, this.other];
    this.next = new Int32Array(2 * next.length);
    this.one = new Float64Array(2 * next.length);
    this.other = new Float64Array(2 * next.length);
    this.next.set(next);
    this.one.set(one);
    this.other.set(other);
  }
}
