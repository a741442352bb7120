/**
 * The shortest walks that the values of a scan can take for given link lengths (scan-lengths.ts), by dynamic
 * programming over the classes of values.
 */

import { type LinkColumns, linkColumns } from '../../graph/link-columns.ts';
import { NearestFirst } from '../../graph/nearest-first.ts';
import type { Topology } from '../../ir/topology.ts';

export class ScanRoutes {
  /** Total length of all messages, per byte of the vector. */
  distance = 0;
  private readonly topology: Topology;
  private readonly columns: LinkColumns;
  private readonly search: NearestFirst;
  private readonly ranks: number;
  /** By pair of ranks: the distance. */
  private readonly between: Float64Array;
  /** By rank and node: the last link of a shortest path. */
  private readonly last: Int32Array;
  /** By m and v(m + 1): the rank at which the path to it branches off. */
  private readonly leaves: Int32Array;
  /** By m and that rank: v(m). */
  private readonly meets: Int32Array;
  /** v(N − 1); −1 for an exscan. */
  private end = -1;

  constructor(topology: Topology) {
    const ranks = topology.chips.length;
    this.topology = topology;
    this.columns = linkColumns(topology);
    this.search = new NearestFirst(topology.nodes.length);
    this.ranks = ranks;
    this.between = new Float64Array(ranks ** 2);
    this.last = new Int32Array(ranks * topology.nodes.length);
    this.leaves = new Int32Array(ranks ** 2);
    this.meets = new Int32Array(ranks ** 2);
  }

  /**
   * Recomputes the walks.
   * @param lengths by link
   * @param withOwn a scan, not an exscan
   */
  find(lengths: ArrayLike<number>, withOwn: boolean): this {
    const { ranks } = this;
    this.findRoutes(lengths, withOwn);
    this.end = -1;
    this.distance = 0;
    if (!withOwn) {
      for (let rank = 1; rank < ranks; rank++) this.distance += this.route(rank - 1, rank);
      return this;
    }
    const sums = this.shortestSums();
    const whole = (at: number) => sums[at] + this.route(ranks - 1, at) + this.route(at, ranks - 1);
    this.end = ranks - 1;
    for (let at = 0; at < ranks; at++) if (whole(at) < whole(this.end)) this.end = at;
    this.distance = whole(this.end);
    return this;
  }

  /** The links that the values cross in order, repetitions included. */
  links(): number[] {
    const crossed: number[] = [];
    const { ranks } = this;
    if (this.end < 0) {
      for (let rank = 1; rank < ranks; rank++) this.addLinks(crossed, rank - 1, rank);
      return crossed;
    }
    let next = this.end;
    this.addLinks(crossed, ranks - 1, next);
    this.addLinks(crossed, next, ranks - 1);
    for (let rank = ranks - 2; rank >= 0; rank--) {
      const leave = this.leaves[rank * ranks + next];
      const met = this.meets[rank * ranks + leave];
      this.addLinks(crossed, leave, next);
      const early = this.beforeMeeting(rank, met, leave) <= this.afterMeeting(rank, met, leave);
      for (const [from, to] of early
        ? [
            [rank, leave],
            [leave, met],
            [met, rank],
          ]
        : [
            [rank, met],
            [met, leave],
            [leave, rank],
          ]) {
        this.addLinks(crossed, from, to);
      }
      next = met;
    }
    return crossed;
  }

  private route(from: number, to: number): number {
    return this.between[from * this.ranks + to];
  }

  /** Length of class m: out to v and back, by way of u before it meets class m − 1, */
  private beforeMeeting(rank: number, meet: number, leave: number): number {
    return this.route(rank, leave) + this.route(leave, meet) + this.route(meet, rank);
  }

  /** and the same with u after the meeting. */
  private afterMeeting(rank: number, meet: number, leave: number): number {
    return this.route(rank, meet) + this.route(meet, leave) + this.route(leave, rank);
  }

  /**
   * Entry v: the minimum sum of the lengths of all classes but the last, if the meeting point of the last class is rank v. Class m
   * is the tour of contribution m, v(m) the rank at which it meets class m − 1. Meeting at v is never shorter than meeting at m
   * itself unless the sum up to there is smaller: by the triangle inequality a tour over v and u is no shorter than one
   * over u alone. Entries that cannot be part of a minimum stay infinite.
   */
  private shortestSums(): Float64Array {
    const { ranks } = this;
    const sums = new Float64Array(ranks).fill(Number.POSITIVE_INFINITY);
    const leaving = new Float64Array(ranks);
    sums[0] = 0;
    for (let rank = 0; rank < ranks - 1; rank++) {
      this.leave(rank, sums, leaving);
      this.meet(rank + 1, leaving, sums);
    }
    return sums;
  }

  /** Writes to `leaving`, by rank u: the minimum sum of the classes up to `rank` if the path of this class branches off at u. */
  private leave(rank: number, sums: Float64Array, leaving: Float64Array): void {
    const { ranks, between } = this;
    const meets = this.meets.subarray(rank * ranks, (rank + 1) * ranks);
    const own = rank * ranks;
    for (let leave = 0; leave < ranks; leave++) {
      leaving[leave] = sums[rank] + between[own + leave] + between[leave * ranks + rank];
      meets[leave] = rank;
    }
    for (let meet = 0; meet < ranks; meet++) {
      const sum = sums[meet];
      if (sum >= sums[rank]) continue;
      const there = between[own + meet];
      const back = between[meet * ranks + rank];
      for (let leave = 0; leave < ranks; leave++) {
        const before = between[own + leave] + between[leave * ranks + meet] + back;
        const after = there + between[meet * ranks + leave] + between[leave * ranks + rank];
        const round = before < after ? before : after;
        if (sum + round >= leaving[leave]) continue;
        leaving[leave] = sum + round;
        meets[leave] = meet;
      }
    }
  }

  /** By rank v at which class m may meet the previous class: the least sum up to there. */
  private meet(rank: number, leaving: Float64Array, sums: Float64Array): void {
    const { ranks, between } = this;
    const leaves = this.leaves.subarray((rank - 1) * ranks, rank * ranks);
    sums.fill(Number.POSITIVE_INFINITY);
    for (let leave = 0; leave < ranks; leave++) {
      const sum = leaving[leave] + between[leave * ranks + rank];
      if (sum >= sums[rank]) continue;
      sums[rank] = sum;
      leaves[rank] = leave;
    }
    for (let leave = 0; leave < ranks; leave++) {
      if (leaving[leave] >= sums[rank]) continue;
      for (let meet = 0; meet < ranks; meet++) {
        const sum = leaving[leave] + between[leave * ranks + meet];
        if (sum >= sums[meet]) continue;
        sums[meet] = sum;
        leaves[meet] = leave;
      }
    }
  }

  /** An exscan needs only the paths from each rank to the next. */
  private findRoutes(lengths: ArrayLike<number>, withOwn: boolean): void {
    const { ranks, between, search } = this;
    const { chips, nodes } = this.topology;
    const { firstOut, out, to } = this.columns;
    this.last.fill(-1);
    for (let rank = 0; rank < (withOwn ? ranks : ranks - 1); rank++) {
      const last = this.last.subarray(rank * nodes.length, (rank + 1) * nodes.length);
      const end = withOwn ? -1 : chips[rank + 1];
      search.clear();
      search.reach(chips[rank], 0);
      for (let node = search.next(); node >= 0 && node !== end; node = search.next()) {
        const length = search.length[node];
        for (let at = firstOut[node]; at < firstOut[node + 1]; at++) {
          const link = out[at];
          if (search.reach(to[link], length + lengths[link])) last[to[link]] = link;
        }
      }
      for (let other = withOwn ? 0 : rank + 1; other < (withOwn ? ranks : rank + 2); other++) {
        between[rank * ranks + other] = search.length[chips[other]];
      }
    }
  }

  private addLinks(crossed: number[], from: number, to: number): void {
    const { chips, nodes } = this.topology;
    for (let node = chips[to]; node !== chips[from]; ) {
      const link = this.last[from * nodes.length + node];
      crossed.push(link);
      node = this.columns.from[link];
    }
  }
}
