/** The shortest ways that the values of a scan can take, for lengths of links (scan-lengths.ts). */
import type { Topology } from '../../../ir/topology.ts';
import { NearestFirst } from '../../nearest-first.ts';

/** Where the least sums of one class come from. */
interface ClassChoice {
  /** By rank v(m + 1): where the way to it leaves the others. */
  readonly leaves: Int32Array;
  /** By that rank: v(m). */
  readonly meets: Int32Array;
}

export class ScanWays {
  /** Of all messages together, for each byte of a vector. */
  readonly distance: number;
  private readonly topology: Topology;
  private readonly ranks: number;
  /** By pair of ranks. */
  private readonly between: Float64Array;
  /** By rank and node: the last link of a shortest way. */
  private readonly last: Int32Array;
  private readonly choices: ClassChoice[] = [];
  private readonly end: number;

  /** @param withOwn a scan, not an exscan */
  constructor(topology: Topology, lengths: ArrayLike<number>, withOwn: boolean) {
    this.topology = topology;
    this.ranks = topology.chips.length;
    this.between = new Float64Array(this.ranks ** 2);
    this.last = new Int32Array(this.ranks * topology.nodes.length).fill(-1);
    this.findWays(lengths, withOwn);
    const { ranks } = this;
    if (!withOwn) {
      let sum = 0;
      for (let rank = 1; rank < ranks; rank++) sum += this.way(rank - 1, rank);
      this.distance = sum;
      this.end = -1;
      return;
    }
    const sums = this.leastSums();
    let end = ranks - 1;
    const whole = (at: number) => sums[at] + this.way(ranks - 1, at) + this.way(at, ranks - 1);
    for (let at = 0; at < ranks; at++) if (whole(at) < whole(end)) end = at;
    this.end = end;
    this.distance = whole(end);
  }

  /** The links that the values cross, one after the other and some more than once. */
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
      const leave = this.choices[rank].leaves[next];
      const met = this.choices[rank].meets[leave];
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

  private way(from: number, to: number): number {
    return this.between[from * this.ranks + to];
  }

  /** Class m there and back over v, by way of u before it meets class m − 1, */
  private beforeMeeting(rank: number, meet: number, leave: number): number {
    return this.way(rank, leave) + this.way(leave, meet) + this.way(meet, rank);
  }

  /** or after. */
  private afterMeeting(rank: number, meet: number, leave: number): number {
    return this.way(rank, meet) + this.way(meet, leave) + this.way(leave, rank);
  }

  /**
   * By rank v(N − 1): the least sum of all classes but the last. Meeting at v is never shorter than meeting at m itself unless the sum up
   * to there is less, for by the triangle inequality a round over v and u is no shorter than one over u alone. Sums that cannot be
   * part of a least one are left infinite.
   */
  private leastSums(): Float64Array {
    const { ranks } = this;
    let sums: Float64Array = new Float64Array(ranks).fill(Number.POSITIVE_INFINITY);
    sums[0] = 0;
    for (let rank = 0; rank < ranks - 1; rank++) {
      const choice: ClassChoice = { leaves: new Int32Array(ranks), meets: new Int32Array(ranks) };
      const leaving = this.leavingSums(rank, sums, choice.meets);
      sums = this.meetingSums(rank + 1, leaving, choice.leaves);
      this.choices.push(choice);
    }
    return sums;
  }

  /** By rank u from which class m goes on: the least sum up to there. */
  private leavingSums(rank: number, sums: Float64Array, meets: Int32Array): Float64Array {
    const { ranks, between } = this;
    const leaving = new Float64Array(ranks);
    for (let leave = 0; leave < ranks; leave++) {
      leaving[leave] = sums[rank] + this.way(rank, leave) + this.way(leave, rank);
      meets[leave] = rank;
    }
    const own = rank * ranks;
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
    return leaving;
  }

  /** By rank v at which a class may meet the one before: the least sum up to there. */
  private meetingSums(rank: number, leaving: Float64Array, leaves: Int32Array): Float64Array {
    const { ranks } = this;
    const sums = new Float64Array(ranks).fill(Number.POSITIVE_INFINITY);
    for (let leave = 0; leave < ranks; leave++) {
      if (leaving[leave] + this.way(leave, rank) >= sums[rank]) continue;
      sums[rank] = leaving[leave] + this.way(leave, rank);
      leaves[rank] = leave;
    }
    for (let leave = 0; leave < ranks; leave++) {
      if (leaving[leave] >= sums[rank]) continue;
      for (let meet = 0; meet < ranks; meet++) {
        if (leaving[leave] + this.way(leave, meet) >= sums[meet]) continue;
        sums[meet] = leaving[leave] + this.way(leave, meet);
        leaves[meet] = leave;
      }
    }
    return sums;
  }

  /** An exscan needs those from each rank to the next only. */
  private findWays(lengths: ArrayLike<number>, withOwn: boolean): void {
    const { ranks, between } = this;
    const { nodes, links, chips } = this.topology;
    const { first, leaving } = linksByOrigin(this.topology);
    const ends = Int32Array.from(links, ({ to }) => to);
    const search = new NearestFirst(nodes.length);
    for (let rank = 0; rank < (withOwn ? ranks : ranks - 1); rank++) {
      const last = this.last.subarray(rank * nodes.length, (rank + 1) * nodes.length);
      const end = withOwn ? -1 : chips[rank + 1];
      search.clear();
      search.reach(chips[rank], 0);
      for (let node = search.next(); node >= 0 && node !== end; node = search.next()) {
        const length = search.length[node];
        for (let at = first[node]; at < first[node + 1]; at++) {
          const link = leaving[at];
          if (search.reach(ends[link], length + lengths[link])) last[ends[link]] = link;
        }
      }
      for (let other = withOwn ? 0 : rank + 1; other < (withOwn ? ranks : rank + 2); other++) {
        between[rank * ranks + other] = search.length[chips[other]];
      }
    }
  }

  private addLinks(crossed: number[], from: number, to: number): void {
    const { chips, links, nodes } = this.topology;
    for (let node = chips[to]; node !== chips[from]; ) {
      const link = this.last[from * nodes.length + node];
      crossed.push(link);
      node = links[link].from;
    }
  }
}

/** The links that leave node n are `leaving[first[n] … first[n + 1] − 1]`, ascending. */
function linksByOrigin({ nodes, links }: Topology): { readonly first: Int32Array; readonly leaving: Int32Array } {
  const first = new Int32Array(nodes.length + 1);
  for (const { from } of links) first[from + 1]++;
  for (let node = 0; node < nodes.length; node++) first[node + 1] += first[node];
  const next = first.slice();
  const leaving = new Int32Array(links.length);
  for (const [link, { from }] of links.entries()) leaving[next[from]++] = link;
  return { first, leaving };
}
