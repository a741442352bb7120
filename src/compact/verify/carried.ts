/**
 * Storage for the values in messages, between the operation that sends them and the one that receives them. It is a stack: in runs without buffers
 * every message is received at once, so the same storage serves all messages.
 */
export class Carried {
  /** The values of all messages in flight. `put` replaces the array by a larger one when it is full. */
  values = new Float64Array(1024);
  /** By sending operation: where its message begins in `values`. */
  private readonly at: Int32Array;
  private end = 0;

  constructor(operations: number) {
    this.at = new Int32Array(operations);
  }

  /** Reserves storage for a message and returns where it begins; the caller writes the values there. */
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

  /** Returns where the message of a sending operation begins. Its values stay valid until the next `put`. */
  take(operation: number, count: number): number {
    const at = this.at[operation];
    // Storage is released only for the topmost message; storage below later messages stays reserved.
    if (at + count === this.end) this.end = at;
    return at;
  }
}
