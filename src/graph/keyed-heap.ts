/** A binary min-heap of integers ordered by a number, in two typed arrays: the event queue and the wait lists of the simulator. */
export class KeyedHeap {
  private keys: Float64Array;
  private values: Int32Array;
  private used = 0;

  constructor(capacity = 16) {
    this.keys = new Float64Array(capacity);
    this.values = new Int32Array(capacity);
  }

  get length(): number {
    return this.used;
  }

  /** The smallest key, or Infinity if the heap is empty. */
  get minKey(): number {
    return this.used === 0 ? Number.POSITIVE_INFINITY : this.keys[0];
  }

  clear(): void {
    this.used = 0;
  }

  push(key: number, value: number): void {
    if (this.used === this.keys.length) this.grow();
    const { keys, values } = this;
    let at = this.used++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (keys[parent] <= key) break;
      keys[at] = keys[parent];
      values[at] = values[parent];
      at = parent;
    }
    keys[at] = key;
    values[at] = value;
  }

  /** Removes and returns the value with the smallest key. Undefined behaviour for an empty heap. */
  pop(): number {
    const { keys, values } = this;
    const least = values[0];
    const last = --this.used;
    const key = keys[last];
    const value = values[last];
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= last) break;
      if (child + 1 < last && keys[child + 1] < keys[child]) child++;
      if (keys[child] >= key) break;
      keys[at] = keys[child];
      values[at] = values[child];
      at = child;
    }
    keys[at] = key;
    values[at] = value;
    return least;
  }

  private grow(): void {
    const keys = new Float64Array(this.keys.length * 2);
    const values = new Int32Array(keys.length);
    keys.set(this.keys);
    values.set(this.values);
    this.keys = keys;
    this.values = values;
  }
}
