/**
 * Parcels on their paths as cargo of the list scheduler: a message carries the parcels that wait for its arc, those with the longest
 * remaining path first, up to a limit of weight.
 * Used backwards in time (flow.ts), the first free arc takes whatever has arrived; in the reversed result the parcels with long paths leave
 * their source first, in small messages.
 */
import { KeyedHeap } from '../../../graph/keyed-heap.ts';
import type { Bytes, Seconds } from '../../../ir/units.ts';
import type { AttemptMessage, Cargo } from '../events/loop.ts';
import type { Listener } from '../events/occupancy.ts';
import type { RouteTable } from '../route-table.ts';
import type { Routing } from './paths.ts';

/** The parcels of one attempt, with their position on their paths. */
export class ParcelCargo implements Cargo {
  probes = 0;
  private readonly most: ArrayLike<number>;
  private readonly ways: RouteTable;
  private readonly paths: readonly (readonly number[])[];
  private readonly weights: readonly number[];
  private readonly unitBytes: Bytes;
  /** By parcel and hop: the time in seconds of that hop and all later ones, if nothing else is in the way. */
  private readonly remaining: readonly (readonly Seconds[])[];
  /** By parcel: hops made so far. By arc: the parcels that wait for it, the longest remaining path first. */
  private readonly made: Int32Array;
  private readonly waiting: readonly KeyedHeap[];
  /** Hops of all parcels not yet started. */
  private left: number;

  /**
   * @param unitBytes bytes of a parcel of weight 1
   * @param most by arc: once a message has this weight, it gets no further parcel
   */
  constructor(
    { paths, weights }: Pick<Routing, 'paths' | 'weights'>,
    ways: RouteTable,
    unitBytes: Bytes,
    most: ArrayLike<number>,
  ) {
    this.most = most;
    this.ways = ways;
    this.paths = paths;
    this.weights = weights;
    this.unitBytes = unitBytes;
    this.remaining = paths.map((path, parcel) => {
      const times = path.map((way) => ways.latency[way] + (weights[parcel] * unitBytes) / ways.bandwidth[way]);
      for (let hop = times.length - 2; hop >= 0; hop--) times[hop] += times[hop + 1];
      return times;
    });
    this.made = new Int32Array(paths.length);
    this.waiting = ways.arcs.map(() => new KeyedHeap(4));
    for (const parcel of paths.keys()) this.wait(parcel);
    this.left = paths.reduce((sum, path) => sum + path.length, 0);
  }

  isDone(): boolean {
    return this.left === 0;
  }

  bytesOf(parcels: readonly number[]): Bytes {
    return parcels.reduce((sum, parcel) => sum + this.weights[parcel], 0) * this.unitBytes;
  }

  worthOf(way: number): number {
    if (this.waiting[way].length === 0) return -1;
    const { from, to, ranks } = this.ways;
    const apart = (to[way] - from[way] + ranks) % ranks;
    return -this.waiting[way].minKey * (1 + 1e-6 * (1 - apart / ranks));
  }

  chosen(way: number): readonly number[] {
    const waiting = this.waiting[way];
    const parcels: number[] = [];
    for (let weight = 0; waiting.length > 0 && (parcels.length === 0 || weight < this.most[way]); ) {
      const parcel = waiting.pop();
      parcels.push(parcel);
      weight += this.weights[parcel];
    }
    this.probes += parcels.length;
    this.left -= parcels.length;
    return parcels;
  }

  started(): void {}

  arrived({ items }: AttemptMessage, loop: Pick<Listener, 'freed'>): void {
    for (const parcel of items) {
      this.made[parcel]++;
      const next = this.wait(parcel);
      if (next !== undefined) loop.freed(next);
    }
  }

  /** Queues a parcel at the next arc of its path and returns that arc; undefined at its destination. */
  private wait(parcel: number): number | undefined {
    const hop = this.made[parcel];
    const way = this.paths[parcel].at(hop);
    if (way !== undefined) this.waiting[way].push(-this.remaining[parcel][hop], parcel);
    return way;
  }
}
