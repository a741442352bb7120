/** The chunks that one side of a transfer names, as runs in order; filled and emptied again for every transfer. */
export class Extents {
  readonly buffer: number[] = [];
  readonly offset: number[] = [];
  readonly count: number[] = [];
  /** How many runs there are; what the arrays hold behind them is left from before. */
  runs = 0;
  /** Chunks in all. */
  total = 0;

  clear(): void {
    this.runs = 0;
    this.total = 0;
  }

  /** Adds a run, joined to the last one where it continues it; runs of no chunks are left out. */
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
