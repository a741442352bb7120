/** Allocates scratch slots, one chunk each, for parcels in transit through one rank. */
export class TransitSlots {
  private readonly isFree: boolean[] = [];

  /** The number of slots that are or were in use. */
  get size(): number {
    return this.isFree.length;
  }

  /** Allocates the first run of `count` adjacent free slots, so that a message needs no copies to scatter it. */
  take(count: number): number {
    let first = 0;
    for (let place = 0; place < this.size && place < first + count; place++) if (!this.isFree[place]) first = place + 1;
    for (let place = first; place < first + count; place++) this.isFree[place] = false;
    return first;
  }

  /** Frees adjacent slots that are read in the step being built; this is safe, since writes of that step happen after its reads. */
  release(first: number, count: number): void {
    this.isFree.fill(true, first, first + count);
  }
}
