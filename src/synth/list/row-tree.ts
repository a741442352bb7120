/**
 * How one rank tells all others of a row soonest, or deals out to them, where each sends one message at a time: whoever answers for a segment of the row
 * hands an end of it over to a rank there, and each goes on with what is left to it. Messages of different segments do not meet on a line of routers. The
 * best such tree is found by dynamic programming over segments and who answers for them; where all ranks are as far from each other it is the binomial tree.
 */
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

/** What the position that answers for a segment does first, and what the segment takes then. */
interface Choice {
  readonly seconds: Seconds;
  /** To whom it hands over an end of the segment, and its outermost position that stays. */
  readonly to: number;
  readonly kept: number;
}

/** The tree of a root over a row, its messages in rounds: after that which brought their data, and after those in which their sender sent before. */
export function treeInRow(times: MessageTimes, row: readonly number[], root: number): readonly (readonly Handover[])[] {
  const tree = new RowTree(times, row);
  const rounds: Handover[][] = [];
  const grow = (own: number, first: number, last: number, round: number): void => {
    if (first === last) return;
    const { to, kept } = tree.best(own, first, last);
    const [given, end, keptFirst, keptLast] = to > own ? [kept + 1, last, first, kept] : [first, kept - 1, kept, last];
    rounds[round] ??= [];
    rounds[round].push({ from: row[own], to: row[to], ranks: row.slice(given, end + 1) });
    grow(to, given, end, round + 1);
    grow(own, keptFirst, keptLast, round + 1);
  };
  grow(row.indexOf(root), 0, row.length - 1, 0);
  return rounds;
}

/** Segments are told by their ends, in any order. */
class RowTree {
  private readonly row: readonly number[];
  private readonly times: MessageTimes;
  /** By first position, answering one and last one. */
  private readonly known: (Choice | undefined)[];

  constructor(times: MessageTimes, row: readonly number[]) {
    this.times = times;
    this.row = row;
    this.known = new Array<Choice | undefined>(row.length ** 3);
  }

  /** What a position does best that serves a segment with it in it. */
  best(own: number, end: number, otherEnd: number): Choice {
    const [first, last] = end < otherEnd ? [end, otherEnd] : [otherEnd, end];
    if (first === last) return { seconds: 0, to: own, kept: own };
    const place = (first * this.row.length + own) * this.row.length + last;
    const known = this.known[place];
    if (known !== undefined) return known;
    let best: Choice = { seconds: Number.POSITIVE_INFINITY, to: own, kept: own };
    for (let to = first; to <= last; to++) {
      if (to === own) continue;
      const [near, far] = to > own ? [first, last] : [last, first];
      // One message to it, and one from it to the end.
      const atLeast = this.message(own, to, 1).arrived + this.message(to, far, 1).arrived;
      if (atLeast < best.seconds) best = this.better(best, own, to, near, far);
    }
    this.known[place] = best;
    return best;
  }

  private message(from: number, to: number, count: number) {
    return this.times(this.row[from], this.row[to], count);
  }

  /** The best part to hand over to a receiver: the more of it, the later is that one done and the sooner the sender, so that it is where they meet. */
  private better(before: Choice, own: number, to: number, near: number, far: number): Choice {
    const step = Math.sign(to - own);
    let best = before;
    // Kept beside its own: the nearest few positions towards the receiver.
    for (let [few, most] = [0, Math.abs(to - own) - 1]; few <= most; ) {
      const middle = (few + most) >> 1;
      const kept = own + step * middle;
      const { arrived, free } = this.message(own, to, Math.abs(far - kept));
      const ownEnd = free + this.best(own, near, kept).seconds;
      const end = arrived + this.best(to, kept + step, far).seconds;
      if (Math.max(ownEnd, end) < best.seconds) best = { seconds: Math.max(ownEnd, end), to, kept };
      if (ownEnd >= end) most = middle - 1;
      else few = middle + 1;
    }
    return best;
  }
}
