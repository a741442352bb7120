/** A growing column of numbers. */
export class FloatColumn {
  private values = new Float64Array(64);
  length = 0;

  push(value: number): void {
    if (this.length === this.values.length) {
      const larger = new Float64Array(2 * this.length);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.length++] = value;
  }

  /** What has been pushed so far. */
  view(): Float64Array {
    return this.values.subarray(0, this.length);
  }
}
