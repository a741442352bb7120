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
    this.findWays(lengths);
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

  /** By rank v(N − 1): the least sum of all classes but the last. */
  private leastSums(): Float64Array {
    const { ranks } = this;
    let sums: Float64Array = new Float64Array(ranks).fill(Number.POSITIVE_INFINITY);
    sums[0] = 0;
    for (let rank = 0; rank < ranks - 1; rank++) {
      const leaving = new Float64Array(ranks).fill(Number.POSITIVE_INFINITY);
      const choice: ClassChoice = { leaves: new Int32Array(ranks), meets: new Int32Array(ranks) };
      for (let meet = 0; meet < ranks; meet++) {
        if (!Number.isFinite(sums[meet])) continue;
        for (let leave = 0; leave < ranks; leave++) {
          const round = Math.min(this.beforeMeeting(rank, meet, leave), this.afterMeeting(rank, meet, leave));
          if (sums[meet] + round >= leaving[leave]) continue;
          leaving[leave] = sums[meet] + round;
          choice.meets[leave] = meet;
        }
      }
      const next = new Float64Array(ranks).fill(Number.POSITIVE_INFINITY);
      for (let leave = 0; leave < ranks; leave++) {
        for (let meet = 0; meet < ranks; meet++) {
          if (leaving[leave] + this.way(leave, meet) >= next[meet]) continue;
          next[meet] = leaving[leave] + this.way(leave, meet);
          choice.leaves[meet] = leave;
        }
      }
      this.choices.push(choice);
      sums = next;
    }
    return sums;
  }

  private findWays(lengths: ArrayLike<number>): void {
    const { nodes, links, chips } = this.topology;
    const outgoing: number[][] = nodes.map(() => []);
    links.forEach(({ from }, link) => {
      outgoing[from].push(link);
    });
    const search = new NearestFirst(nodes.length);
    for (const [rank, chip] of chips.entries()) {
      const last = this.last.subarray(rank * nodes.length, (rank + 1) * nodes.length);
      search.clear();
      search.reach(chip, 0);
      for (let node = search.next(); node >= 0; node = search.next()) {
        for (const link of outgoing[node]) {
          const { to } = links[link];
          if (search.reach(to, search.length[node] + lengths[link])) last[to] = link;
        }
      }
      for (const [other, node] of chips.entries()) this.between[rank * this.ranks + other] = search.length[node];
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
