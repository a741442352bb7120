/** Places for parcels on their way through one rank. */
export class TransitSlots {
  /** Places that are or were in use. */
  size = 0;
  private readonly released: number[] = [];
  private next = 0;

  /** The place that has been free for longest, so that few have to wait until it is read; a new one if none is free. */
  take(): number {
    return this.next < this.released.length ? this.released[this.next++] : this.size++;
  }

  /** Frees a place that is read in the step being built: what is written in that step is written after. */
  release(place: number): void {
    this.released.push(place);
  }
}
