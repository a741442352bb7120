/**
 * One side of a cut, kept up to date incrementally while ranks move across it. Switches and hosts follow the ranks: a
 * node that is no chip belongs to the inside if most of its bandwidth leads there. Such nodes are added until none is
 * left to add; the order does not matter.
 */

import { type LinkColumns, linkColumns } from '../../graph/link-columns.ts';
import type { Topology } from '../../ir/topology.ts';
import type { BytesPerSecond } from '../../ir/units.ts';

export class ChangingSide {
  readonly ranks: number;
  /** 1 for each node (`inside`) and each rank (`holds`) on this side. */
  readonly inside: Uint8Array;
  readonly holders: Uint8Array;
  /** Number of ranks on this side. */
  held = 0;
  /** `lefts`: ranks outside whose predecessor is inside; `entries`: ranks inside whose predecessor is outside. */
  lefts = 0;
  entries = 0;
  /** Bandwidth of the links that leave this side, and of those that enter it. */
  outward: BytesPerSecond = 0;
  inward: BytesPerSecond = 0;
  private readonly chips: readonly number[];
  private readonly columns: LinkColumns;
  /**
   * By node: bandwidth shared with nodes on this side minus bandwidth shared with the others. −∞ for chips, which only
   * move explicitly.
   */
  private readonly pull: Float64Array;
  private readonly pullAtFirst: Float64Array;
  /** Nodes whose majority changed to this side when a neighbour moved. */
  private readonly pulled: number[] = [];

  constructor(topology: Topology) {
    const { chips, nodes } = topology;
    this.ranks = chips.length;
    this.inside = new Uint8Array(nodes.length);
    this.holders = new Uint8Array(chips.length);
    this.chips = chips;
    this.columns = linkColumns(topology);
    const { from, to, bandwidth } = this.columns;
    this.pullAtFirst = new Float64Array(nodes.length);
    for (let link = 0; link < bandwidth.length; link++) {
      this.pullAtFirst[from[link]] -= bandwidth[link];
      this.pullAtFirst[to[link]] -= bandwidth[link];
    }
    for (const chip of chips) this.pullAtFirst[chip] = Number.NEGATIVE_INFINITY;
    this.pull = this.pullAtFirst.slice();
  }

  /** Resets the side to exactly these ranks. */
  begin(ranks: Iterable<number>): void {
    this.inside.fill(0);
    this.holders.fill(0);
    this.pull.set(this.pullAtFirst);
    this.held = this.lefts = this.entries = this.outward = this.inward = 0;
    for (const rank of ranks) this.add(rank);
  }

  /** Moves a rank from outside to this side. */
  add(rank: number): void {
    this.count(rank);
    this.move(this.chips[rank]);
    this.follow();
  }

  /** Moves a rank to the other side. */
  flip(rank: number): void {
    if (this.holders[rank] === 0) {
      this.add(rank);
      return;
    }
    const { inside, pull } = this;
    this.count(rank);
    // Non-chip nodes may be on this side only because of this rank, and because of each other, so all of them are
    // decided again.
    for (let node = 0; node < inside.length; node++) {
      if (inside[node] === 1 && pull[node] !== Number.NEGATIVE_INFINITY) this.move(node);
    }
    this.move(this.chips[rank]);
    for (let node = 0; node < inside.length; node++) if (pull[node] > 0) this.pulled.push(node);
    this.follow();
  }

  private count(rank: number): void {
    const { holders, ranks } = this;
    const before = rank > 0 ? holders[rank - 1] : -1;
    const after = rank < ranks - 1 ? holders[rank + 1] : -1;
    const step = holders[rank] === 0 ? 1 : -1;
    holders[rank] ^= 1;
    this.held += step;
    if (before === 0) this.entries += step;
    if (before === 1) this.lefts -= step;
    if (after === 0) this.lefts += step;
    if (after === 1) this.entries -= step;
  }

  private follow(): void {
    const { inside, pull, pulled } = this;
    for (let node = pulled.pop(); node !== undefined; node = pulled.pop()) {
      if (inside[node] === 0 && pull[node] > 0) this.move(node);
    }
  }

  /** Moves a node to the other side. */
  private move(node: number): void {
    const { inside, pull, pulled } = this;
    const { firstOut, out, to, firstIn, into, from, bandwidth } = this.columns;
    const sign = inside[node] === 0 ? 1 : -1;
    for (let at = firstOut[node]; at < firstOut[node + 1]; at++) {
      const end = to[out[at]];
      const width = sign * bandwidth[out[at]];
      if (inside[end] === 0) this.outward += width;
      else this.inward -= width;
      pull[end] += 2 * width;
      if (pull[end] > 0) pulled.push(end);
    }
    for (let at = firstIn[node]; at < firstIn[node + 1]; at++) {
      const end = from[into[at]];
      const width = sign * bandwidth[into[at]];
      if (inside[end] === 0) this.inward += width;
      else this.outward -= width;
      pull[end] += 2 * width;
      if (pull[end] > 0) pulled.push(end);
    }
    inside[node] ^= 1;
  }
}
