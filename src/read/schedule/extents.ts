/** The chunks that one side of a transfer names, as runs in order; filled and emptied again for every transfer. */
export class Extents {
  readonly buffer: number[] = [];
  readonly offset: number[] = [];
  readonly count: number[] = [];
  /** Chunks in all. */
  total = 0;

  clear(): void {
    this.buffer.length = 0;
    this.offset.length = 0;
    this.count.length = 0;
    this.total = 0;
  }

  /** Adds a run, joined to the last one where it continues it; runs of no chunks are left out. */
  add(buffer: number, offset: number, count: number): void {
    if (count === 0) return;
    this.total += count;
    const last = this.count.length - 1;
    if (last >= 0 && this.buffer[last] === buffer && this.offset[last] + this.count[last] === offset) {
      this.count[last] += count;
      return;
    }
    this.buffer.push(buffer);
    this.offset.push(offset);
    this.count.push(count);
  }
}
