import { none } from '../../../ir/none.ts';

/** Places for the chunks of parcels on their way through one rank. */
export class TransitSlots {
  /** By place: how many had been released before it was, or `none` while it is in use. */
  private readonly released: number[] = [];
  private releases = 0;

  /** Places that are or were in use. */
  get size(): number {
    return this.released.length;
  }

  /**
   * The first of so many places side by side, so that a message needs no copies to spread it out: those that have been free for longest, so
   * that few have to wait until they are read; new ones where there are none.
   */
  take(count = 1): number {
    let best = { first: this.size, latest: Number.POSITIVE_INFINITY };
    for (let first = 0; first + count <= this.size && count > 0; ) {
      const places = this.released.slice(first, first + count);
      const inUse = places.lastIndexOf(none);
      const latest = inUse < 0 ? Math.max(...places) : Number.POSITIVE_INFINITY;
      if (latest < best.latest) best = { first, latest };
      first += inUse < 0 ? count : inUse + 1;
    }
    for (let place = best.first; place < best.first + count; place++) this.released[place] = none;
    return best.first;
  }

  /** Frees places side by side that are read in the step being built: what is written in that step is written after. */
  release(first: number, count: number): void {
    const by = this.releases++;
    for (let place = first; place < first + count; place++) this.released[place] = by;
  }
}
