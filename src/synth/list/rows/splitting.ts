/**
 * How one rank tells all others of a row soonest, or deals out to them, where each sends one message at a time: whoever answers for a segment of the row
 * hands an end of it over to a rank there, and each goes on with what is left to it. Messages of different segments do not meet on a line of routers. The
 * best such tree is found by dynamic programming over segments and who answers for them; where all ranks are as far from each other it is the binomial tree.
 */
import { none } from '../../../ir/none.ts';
import type { Seconds } from '../../../ir/units.ts';

/**
 * Of a message from rank a to rank b that brings what c ranks want, in seconds: it has arrived after `arrival[a · N + b]` and c times
 * `arrivalEach`, and a can send the next one after `release` and c times `releaseEach`.
 */
export interface MessageTimes {
  readonly arrival: Float64Array;
  readonly arrivalEach: Float64Array;
  readonly release: Float64Array;
  readonly releaseEach: Float64Array;
}

/** A message of a tree over ranks. */
export interface Handover {
  readonly from: number;
  readonly to: number;
  /** The ranks that get something by it, `to` among them. */
  readonly ranks: readonly number[];
  readonly start: Seconds;
}

/** Positions in the row take the place of ranks throughout. */
export class Splitting {
  private readonly row: readonly number[];
  private readonly length: number;
  private readonly arrival: Float64Array;
  private readonly arrivalEach: Float64Array;
  private readonly release: Float64Array;
  private readonly releaseEach: Float64Array;
  /** By first position, answering one and last one: what the segment takes, and the message that comes first: its receiver, and the outermost position that stays. */
  private readonly known: Float64Array;
  private readonly choice: Int32Array;

  constructor(times: MessageTimes, row: readonly number[]) {
    const length = row.length;
    const placed = (column: Float64Array): Float64Array =>
      Float64Array.from(column, (_, at) => column[row[Math.floor(at / length)] * length + row[at % length]]);
    this.row = row;
    this.length = length;
    this.arrival = placed(times.arrival);
    this.arrivalEach = placed(times.arrivalEach);
    this.release = placed(times.release);
    this.releaseEach = placed(times.releaseEach);
    this.known = new Float64Array(length ** 3).fill(none);
    this.choice = new Int32Array(length ** 3);
  }

  /** The tree of a root: messages in the order in which they start. */
  treeFrom(root: number): Handover[] {
    const messages: Handover[] = [];
    const grow = (first: number, own: number, last: number, now: Seconds): void => {
      if (first === last) return;
      this.seconds(first, own, last);
      const choice = this.choice[this.place(first, own, last)];
      const [to, kept] = [Math.floor(choice / this.length), choice % this.length];
      const given = to > own ? { first: kept + 1, last } : { first, last: kept - 1 };
      const ranks = this.row.slice(given.first, given.last + 1);
      const at = own * this.length + to;
      messages.push({ from: this.row[own], to: this.row[to], ranks, start: now });
      grow(given.first, to, given.last, now + this.arrival[at] + ranks.length * this.arrivalEach[at]);
      const free = now + this.release[at] + ranks.length * this.releaseEach[at];
      if (to > own) grow(first, own, kept, free);
      else grow(kept, own, last, free);
    };
    grow(0, this.row.indexOf(root), this.length - 1, 0);
    return messages.sort((a, b) => a.start - b.start);
  }

  private place(first: number, own: number, last: number): number {
    return (first * this.length + own) * this.length + last;
  }

  private seconds(first: number, own: number, last: number): Seconds {
    if (first === last) return 0;
    const place = this.place(first, own, last);
    if (this.known[place] !== none) return this.known[place];
    let least = Number.POSITIVE_INFINITY;
    for (let to = first; to <= last; to++) {
      if (to === own || this.atLeast(own, to, to > own ? last : first) >= least) continue;
      least = Math.min(least, this.bestWith(first, own, last, to, least));
    }
    this.known[place] = least;
    return least;
  }

  /** What a message takes, and one from its receiver to the end of the segment. */
  private atLeast(own: number, to: number, end: number): Seconds {
    const at = own * this.length + to;
    const on = to * this.length + end;
    return this.arrival[at] + this.arrivalEach[at] + this.arrival[on] + this.arrivalEach[on];
  }

  /** The best part to hand over to a receiver: the more of it, the later is that one done and the sooner the sender, so that it is where they meet. */
  private bestWith(first: number, own: number, last: number, to: number, toBeat: Seconds): Seconds {
    const step = to > own ? 1 : -1;
    const at = own * this.length + to;
    let least = toBeat;
    // Kept beside its own: the nearest few positions towards the receiver.
    for (let [few, most] = [0, Math.abs(to - own) - 1]; few <= most; ) {
      const middle = (few + most) >> 1;
      const kept = own + step * middle;
      const given = step > 0 ? last - kept : kept - first;
      const sent = this.release[at] + given * this.releaseEach[at];
      const arrived = this.arrival[at] + given * this.arrivalEach[at];
      const ownEnd = sent + (step > 0 ? this.seconds(first, own, kept) : this.seconds(kept, own, last));
      const end = arrived + (step > 0 ? this.seconds(kept + 1, to, last) : this.seconds(first, to, kept - 1));
      if (Math.max(ownEnd, end) < least) {
        least = Math.max(ownEnd, end);
        this.choice[this.place(first, own, last)] = to * this.length + kept;
      }
      if (ownEnd >= end) most = middle - 1;
      else few = middle + 1;
    }
    return least;
  }
}
