/** The chunks on one side of a transfer, as runs of consecutive chunks in order. One object is reused for all transfers. */
export class Extents {
  readonly buffer: number[] = [];
  readonly offset: number[] = [];
  readonly count: number[] = [];
  /** The number of runs; entries of the arrays behind them are left over from earlier transfers. */
  runs = 0;
  /** The number of chunks in all runs. */
  total = 0;

  clear(): void {
    this.runs = 0;
    this.total = 0;
  }

  /** Adds a run, merged with the last one if it continues it; empty runs are ignored. */
  add(buffer: number, offset: number, count: number): void {
    if (count === 0) return;
    this.total += count;
    const last = this.runs - 1;
    if (last >= 0 && this.buffer[last] === buffer && this.offset[last] + this.count[last] === offset) {
      this.count[last] += count;
      return;
    }
    this.buffer[this.runs] = buffer;
    this.offset[this.runs] = offset;
    this.count[this.runs] = count;
    this.runs++;
  }
}
