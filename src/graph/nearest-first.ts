/** Dijkstra's algorithm over numbered places; who searches says which steps lead on from a place, and how long they are. */
import { KeyedHeap } from './keyed-heap.ts';

export class NearestFirst {
  /** By place: the length of the shortest way to it that is known, Infinity if none is; final once `next` has given the place. */
  readonly length: Float64Array;
  private readonly final: Uint8Array;
  private readonly queue = new KeyedHeap();
  /** The places that some way leads to, so that forgetting a search takes no longer than the search did. */
  private readonly touched: Int32Array;
  private touchedCount = 0;

  constructor(places: number) {
    this.length = new Float64Array(places).fill(Number.POSITIVE_INFINITY);
    this.final = new Uint8Array(places);
    this.touched = new Int32Array(places);
  }

  /** Tells of a way to a place, of no negative length; true if none so short was known. */
  reach(place: number, length: number): boolean {
    const known = this.length[place];
    if (length >= known || this.final[place] === 1) return false;
    if (known === Number.POSITIVE_INFINITY) this.touched[this.touchedCount++] = place;
    this.length[place] = length;
    this.queue.push(length, place);
    return true;
  }

  /** The nearest place that it has not given before, or −1. */
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

  /** Forgets everything, for another search. */
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
