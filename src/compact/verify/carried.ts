/**
 * What messages carry between the operation that puts it there and the one that takes it. Where messages are taken at once, as in runs without
 * buffers, the room of one serves all.
 */
export class Carried {
  /** Of all messages under way. A larger array takes its place when `put` needs room. */
  values = new Float64Array(1024);
  /** By operation that puts: where its message begins. */
  private readonly at: Int32Array;
  private end = 0;

  constructor(operations: number) {
    this.at = new Int32Array(operations);
  }

  /** Makes room for a message; its values go behind the place that is returned. */
  put(operation: number, count: number): number {
    const at = this.end;
    this.at[operation] = at;
    this.end += count;
    if (this.end > this.values.length) {
      const larger = new Float64Array(2 * this.end);
      larger.set(this.values);
      this.values = larger;
    }
    return at;
  }

  /** Where the message begins that an operation has put; its values are there until the next `put`. */
  take(operation: number, count: number): number {
    const at = this.at[operation];
    // One that others came behind keeps its room.
    if (at + count === this.end) this.end = at;
    return at;
  }
}
