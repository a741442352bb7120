/** Places for the chunks of parcels on their way through one rank. */
export class TransitSlots {
  private readonly isFree: boolean[] = [];

  /** Places that are or were in use. */
  get size(): number {
    return this.isFree.length;
  }

  /** The first of so many free places side by side, so that a message needs no copies to spread it out. */
  take(count: number): number {
    let first = 0;
    for (let place = 0; place < this.size && place < first + count; place++) if (!this.isFree[place]) first = place + 1;
    for (let place = first; place < first + count; place++) this.isFree[place] = false;
    return first;
  }

  /** Frees places side by side that are read in the step being built: what is written in that step is written after. */
  release(first: number, count: number): void {
    this.isFree.fill(true, first, first + count);
  }
}
