/**
 * What the messages of a scheme carry, and when. A message of class m holds the contributions of some ranks `low` … m. The later
 * it waits for, the lower `low` can be; what is missing must meet it further on. Class by class, lowest first, the earliest way to
 * have everything together where it must be is found, counted in messages one after the other.
 */
import type { ClassTree, Scheme } from './scheme.ts';
import { type ScanValue, ScanValues, type Story, sumReadyAt } from './values.ts';

/** @param ownResult whether a rank's result has its own contribution: scan, not exscan */
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

/** By rank and highest contribution: what a rank can have. */
type Known = ScanValue[][][];

type When = Pick<ScanValue, 'stage' | 'merges'>;

/** What could be merged. */
interface Sum extends When {
  readonly lower: ScanValue;
  readonly upper: ScanValue;
}

function isEarlier(value: When, other: When): boolean {
  return value.stage < other.stage || (value.stage === other.stage && value.merges < other.merges);
}

/** One class. What a message holds stays open until a place that it leads to must have everything. */
class ClassTelling {
  private readonly tree: ClassTree;
  private readonly high: number;
  private readonly known: Known;
  private readonly values: ScanValues;
  /** By place: the message that has been decided on. */
  private readonly decided: (ScanValue | undefined)[];
  /** By place: what can be had there as far as has been decided. */
  private reached: ReadonlyMap<number, ScanValue>[] = [];

  constructor(tree: ClassTree, high: number, known: Known, values: ScanValues) {
    this.tree = tree;
    this.high = high;
    this.known = known;
    this.values = values;
    this.decided = tree.places.map(() => undefined);
  }

  /** Decides what the messages to a place hold. */
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

  /** The earliest value for each lowest contribution that can be had at a place, the highest of these first. */
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
    // What comes of merging with values of lower classes, from the highest of these down.
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
