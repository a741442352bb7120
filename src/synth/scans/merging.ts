/**
 * Decides what the messages of a scheme carry, and when. A message of class m holds the contributions of some ranks `low` … m. The later it
 * is sent, the lower `low` can be; the missing contributions must join it further on. For each class, lowest first, this finds the earliest
 * way to have all contributions together where the scheme requires it, counted in consecutive messages.
 */
import type { ClassTree, Scheme } from './scheme.ts';
import { type ScanValue, ScanValues, type Story, sumReadyAt } from './values.ts';

/**
 * Derives the messages and results of a scheme.
 * @param ownResult whether a rank's result includes its own contribution: scan, not exscan
 */
export function tellOfScheme(scheme: Scheme, ranks: number, ownResult: boolean): Story {
  const known: Known = Array.from({ length: ranks }, () => Array.from({ length: ranks }, () => []));
  const values = new ScanValues();
  const messages = scheme.flatMap((tree, high) => {
    const telling = new ClassTelling(tree, high, known, values);
    for (const place of tree.complete) telling.completeAt(place);
    const atPlaces = tree.places.map((_, place) => telling.reachable(place));
    for (const [place, found] of atPlaces.entries()) known[tree.places[place].rank][high].push(...found.values());
    return telling.messages();
  });
  const results = known.map((found, rank) => {
    const high = ownResult ? rank : rank - 1;
    if (high < 0) return undefined;
    const whole = found[high].filter((value) => value.low === 0);
    if (whole.length === 0) throw new Error(`a scheme brings rank ${rank} no result`);
    return whole.reduce((best, value) => (isEarlier(best, value) ? best : value));
  });
  return { messages, results };
}

/** By rank and highest contribution: the values that the rank can have. */
type Known = ScanValue[][][];

type When = Pick<ScanValue, 'stage' | 'merges'>;

/** A possible merge of two values. */
interface Sum extends When {
  readonly lower: ScanValue;
  readonly upper: ScanValue;
}

function isEarlier(value: When, other: When): boolean {
  return value.stage < other.stage || (value.stage === other.stage && value.merges < other.merges);
}

/** Plans one class. What a message carries stays undecided until a place downstream must be complete. */
class ClassTelling {
  private readonly tree: ClassTree;
  private readonly high: number;
  private readonly known: Known;
  private readonly values: ScanValues;
  /** By place: the message that has been decided on. */
  private readonly decided: (ScanValue | undefined)[];
  /** By place: the values obtainable there, given the decisions so far. */
  private reached: ReadonlyMap<number, ScanValue>[] = [];

  constructor(tree: ClassTree, high: number, known: Known, values: ScanValues) {
    this.tree = tree;
    this.high = high;
    this.known = known;
    this.values = values;
    this.decided = tree.places.map(() => undefined);
  }

  /** Fixes what the messages on the path to a place carry, so that all contributions meet there as early as possible. */
  completeAt(place: number): void {
    let wanted = this.reachable(place).get(0);
    for (let at = place; at > 0 && wanted !== undefined; at = this.tree.places[at].parent) {
      let arrived = wanted;
      while (arrived.made.kind === 'merge') arrived = arrived.made.upper;
      this.decided[at] ??= arrived;
      wanted = arrived.made.kind === 'message' ? arrived.made.sent : undefined;
    }
    this.reached = [];
  }

  messages(): ScanValue[] {
    return this.decided.filter((value) => value !== undefined);
  }

  /** By lowest contribution, in descending order: the earliest obtainable value at a place that starts there. */
  reachable(place: number): ReadonlyMap<number, ScanValue> {
    this.reached[place] ??= this.found(place);
    return this.reached[place];
  }

  private found(place: number): ReadonlyMap<number, ScanValue> {
    const known = this.known[this.tree.places[place].rank];
    const decided = this.decided[place];
    const best: (ScanValue | Sum | undefined)[] = [];
    for (const value of decided === undefined ? this.arriving(place) : [decided]) best[value.low] = value;
    const found = new Map<number, ScanValue>();
    // Extends values downwards by merging with values of lower classes, from the highest `low` down.
    for (let low = this.high; low >= 0; low--) {
      const earliest = best[low];
      if (earliest === undefined) continue;
      const upper = 'made' in earliest ? earliest : this.values.merged(earliest.lower, earliest.upper);
      found.set(low, upper);
      for (const lower of low === 0 ? [] : known[low - 1]) {
        const when = sumReadyAt(lower, upper);
        const other = best[lower.low];
        if (other === undefined || isEarlier(when, other)) best[lower.low] = { ...when, lower, upper };
      }
    }
    return found;
  }

  private arriving(place: number): ScanValue[] {
    const { rank, parent } = this.tree.places[place];
    if (place === 0) return [this.values.input(rank)];
    return [...this.reachable(parent).values()].map((sent) => this.values.sent(sent, rank));
  }
}
