/**
 * How one rank tells all others of a row soonest, or deals out to them, where each sends one message at a time: whoever answers for a segment of the row
 * hands an end of it over to a rank there, and each goes on with what is left to it. Messages of different segments do not meet on a line of routers. The
 * best such tree is found by dynamic programming over segments and who answers for them; where all ranks are as far from each other it is the binomial tree.
 */
import { none } from '../../ir/none.ts';
import type { Seconds } from '../../ir/units.ts';

/** When a message from one rank to another that brings what `count` ranks want has arrived, and when its sender can send the next one. */
export type MessageTimes = (
  from: number,
  to: number,
  count: number,
) => { readonly arrived: Seconds; readonly free: Seconds };

/** A message of a tree over ranks. */
export interface Handover {
  readonly from: number;
  readonly to: number;
  /** The ranks that get something by it, `to` among them. */
  readonly ranks: readonly number[];
}

/** The tree of a root over a row, its messages in rounds: after that which brought their data, and after those in which their sender sent before. */
export function treeInRow(times: MessageTimes, row: readonly number[], root: number): readonly (readonly Handover[])[] {
  return new RowTree(times, row).from(row.indexOf(root));
}

/** Segments are told by their ends, in any order. */
class RowTree {
  private readonly row: readonly number[];
  private readonly times: MessageTimes;
  /** By first position, answering one and last one: what the segment takes, and the message that comes first: its receiver, and the outermost position that stays. */
  private readonly known: Float64Array;
  private readonly choice: Int32Array;

  constructor(times: MessageTimes, row: readonly number[]) {
    this.times = times;
    this.row = row;
    this.known = new Float64Array(row.length ** 3).fill(none);
    this.choice = new Int32Array(row.length ** 3);
  }

  from(root: number): Handover[][] {
    const { row } = this;
    const rounds: Handover[][] = [];
    const grow = (own: number, [first, last]: readonly [number, number], round: number): void => {
      if (first === last) return;
      this.seconds(own, first, last);
      const choice = this.choice[this.place(own, first, last)];
      const [to, kept] = [Math.floor(choice / row.length), choice % row.length];
      const given = to > own ? ([kept + 1, last] as const) : ([first, kept - 1] as const);
      rounds[round] ??= [];
      rounds[round].push({ from: row[own], to: row[to], ranks: row.slice(given[0], given[1] + 1) });
      grow(to, given, round + 1);
      grow(own, to > own ? [first, kept] : [kept, last], round + 1);
    };
    grow(root, [0, row.length - 1], 0);
    return rounds;
  }

  private place(own: number, first: number, last: number): number {
    return (first * this.row.length + own) * this.row.length + last;
  }

  private message(from: number, to: number, count: number) {
    return this.times(this.row[from], this.row[to], count);
  }

  /** What it takes one position to serve a segment with it in it. */
  private seconds(own: number, end: number, otherEnd: number): Seconds {
    const [first, last] = end < otherEnd ? [end, otherEnd] : [otherEnd, end];
    if (first === last) return 0;
    const place = this.place(own, first, last);
    if (this.known[place] !== none) return this.known[place];
    let least = Number.POSITIVE_INFINITY;
    for (let to = first; to <= last; to++) {
      if (to === own) continue;
      const [near, far] = to > own ? [first, last] : [last, first];
      // One message to it, and one from it to the end.
      const atLeast = this.message(own, to, 1).arrived + this.message(to, far, 1).arrived;
      if (atLeast >= least) continue;
      const best = this.bestPart(own, to, near, far);
      if (best.seconds >= least) continue;
      least = best.seconds;
      this.choice[place] = to * this.row.length + best.kept;
    }
    this.known[place] = least;
    return least;
  }

  /** The best part to hand over to a receiver: the more of it, the later is that one done and the sooner the sender, so that it is where they meet. */
  private bestPart(
    own: number,
    to: number,
    near: number,
    far: number,
  ): { readonly seconds: Seconds; readonly kept: number } {
    const step = Math.sign(to - own);
    let best = { seconds: Number.POSITIVE_INFINITY, kept: own };
    // Kept beside its own: the nearest few positions towards the receiver.
    for (let [few, most] = [0, Math.abs(to - own) - 1]; few <= most; ) {
      const middle = (few + most) >> 1;
      const kept = own + step * middle;
      const { arrived, free } = this.message(own, to, Math.abs(far - kept));
      const ownEnd = free + this.seconds(own, near, kept);
      const end = arrived + this.seconds(to, kept + step, far);
      if (Math.max(ownEnd, end) < best.seconds) best = { seconds: Math.max(ownEnd, end), kept };
      if (ownEnd >= end) most = middle - 1;
      else few = middle + 1;
    }
    return best;
  }
}
