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
    const first = this.longestFree(count);
    for (let place = first; place < first + count; place++) this.released[place] = none;
    return first;
  }

  /** Frees places side by side that are read in the step being built: what is written in that step is written after. */
  release(first: number, count: number): void {
    const by = this.releases++;
    for (let place = first; place < first + count; place++) this.released[place] = by;
  }

  private longestFree(count: number): number {
    if (count === 0) return 0;
    let best = { first: this.size, latest: Number.POSITIVE_INFINITY };
    for (let first = 0; first + count <= this.size; ) {
      const places = this.released.slice(first, first + count);
      const inUse = places.lastIndexOf(none);
      if (inUse >= 0) {
        first += inUse + 1;
        continue;
      }
      const latest = Math.max(...places);
      if (latest < best.latest) best = { first, latest };
      first += count;
    }
    return best.first;
  }
}
