/**
 * Dijkstra's algorithm over numbered places; the caller defines the steps that lead on from a place and their lengths.
 */
import { KeyedHeap } from './keyed-heap.ts';

export class NearestFirst {
  /** By place: length of the shortest known path, Infinity if none; final once `next` has returned the place. */
  readonly length: Float64Array;
  private readonly final: Uint8Array;
  private readonly queue = new KeyedHeap();
  /** The places reached so far, so that clearing takes no longer than the search did. */
  private readonly touched: Int32Array;
  private touchedCount = 0;

  constructor(places: number) {
    this.length = new Float64Array(places).fill(Number.POSITIVE_INFINITY);
    this.final = new Uint8Array(places);
    this.touched = new Int32Array(places);
  }

  /** Offers a path of non-negative length to a place; returns whether it is shorter than any known one. */
  reach(place: number, length: number): boolean {
    const known = this.length[place];
    if (length >= known || this.final[place] === 1) return false;
    if (known === Number.POSITIVE_INFINITY) this.touched[this.touchedCount++] = place;
    this.length[place] = length;
    this.queue.push(length, place);
    return true;
  }

  /** Returns the nearest place that has not been returned before, or −1. */
  next(): number {
    const { queue, final } = this;
    while (queue.length > 0) {
      const place = queue.pop();
      if (final[place] === 1) continue;
      final[place] = 1;
      return place;
    }
    return -1;
  }

  /** Resets the state for another search. */
  clear(): void {
    for (let index = 0; index < this.touchedCount; index++) {
      const place = this.touched[index];
      this.length[place] = Number.POSITIVE_INFINITY;
      this.final[place] = 0;
    }
    this.touchedCount = 0;
    this.queue.clear();
  }
}
