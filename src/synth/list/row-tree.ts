/**
 * Finds the fastest tree for a broadcast or scatter over a row of ranks, of which each sends one message at a time. The rank that owns a
 * segment of the row hands an end of it over to a rank there, and both continue with their shorter segments; messages of different segments
 * do not meet on a line of routers.
 * Dynamic programming over triples (first, owner, last), n³ states of up to n receivers each, with a binary search for the split; so it is
 * meant for small n (`maxRanksFor.cubes`). If all ranks are equally far apart, the result is the binomial tree.
 */
import type { Seconds } from '../../ir/units.ts';

/** For a message with the data of `count` ranks: when it arrives, and when its sender can send the next one, in seconds after its start. */
export type MessageTimes = (
  from: number,
  to: number,
  count: number,
) => { readonly arrived: Seconds; readonly free: Seconds };

/** One message of the tree. */
export interface Handover {
  readonly from: number;
  readonly to: number;
  /** The ranks whose data the message carries, `to` among them. */
  readonly ranks: readonly number[];
}

/** The first message of a segment's owner in the best tree, and the time in seconds until the whole segment is served. */
interface Choice {
  readonly seconds: Seconds;
  /** The receiver's position, and the outermost position on the receiver's side that the owner keeps. */
  readonly to: number;
  readonly kept: number;
}

/**
 * Returns the messages of the fastest tree in rounds. A message is in a later round than the one that brought its sender the data, and than
 * its sender's earlier messages.
 * @param row the ranks in order of position; `root` is one of them
 */
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

/** Memoised dynamic program. A segment is identified by the positions of its two ends, in either order. */
class RowTree {
  private readonly row: readonly number[];
  private readonly times: MessageTimes;
  /** Indexed by the first position, the owner and the last position. */
  private readonly known: (Choice | undefined)[];

  constructor(times: MessageTimes, row: readonly number[]) {
    this.times = times;
    this.row = row;
    this.known = new Array<Choice | undefined>(row.length ** 3);
  }

  /** The best first message of the owner of a segment that contains it. */
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
      // A lower bound: one message to the receiver, and one from there to the far end.
      const atLeast = this.message(own, to, 1).arrived + this.message(to, far, 1).arrived;
      if (atLeast < best.seconds) best = this.better(best, own, to, near, far);
    }
    this.known[place] = best;
    return best;
  }

  private message(from: number, to: number, count: number) {
    return this.times(this.row[from], this.row[to], count);
  }

  /**
   * The best split between owner and receiver. The more the owner hands over, the later the receiver and the sooner the owner finishes, so
   * binary search finds the split at which the two times cross.
   */
  private better(before: Choice, own: number, to: number, near: number, far: number): Choice {
    const step = Math.sign(to - own);
    let best = before;
    // The number of positions towards the receiver that the owner keeps, between `few` and `most`.
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
