/** Whole numbers in no order, from which any can be taken at once. */
export class IndexPool {
  private items = new Int32Array(8);
  private used = 0;

  get size(): number {
    return this.used;
  }

  /** The item at a place in 0 … size − 1. */
  at(place: number): number {
    return this.items[place];
  }

  add(item: number): void {
    if (this.used === this.items.length) {
      const larger = new Int32Array(2 * this.used);
      larger.set(this.items);
      this.items = larger;
    }
    this.items[this.used++] = item;
  }

  /** Removes what is at a place; the last item takes it. */
  removeAt(place: number): void {
    this.items[place] = this.items[--this.used];
  }
}
