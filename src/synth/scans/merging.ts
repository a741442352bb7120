/**
 * What the messages of a scheme carry, and when. A message of class m holds the contributions of some ranks `low` … m. The later
 * it waits for, the lower `low` can be; what is missing must meet it further on. Class by class, lowest first, the earliest way to
 * have everything together where it must be is found, counted in messages one after the other.
 */
import type { Scheme } from './scheme.ts';

/** The combined contributions of ranks `low` … `high` of one chunk, at a rank. */
export interface Value {
  /** The same for the same value of a scheme. */
  readonly id: number;
  readonly rank: number;
  readonly low: number;
  readonly high: number;
  readonly made: Making;
  /** Messages that had to come one after the other before it was there. */
  readonly stage: number;
  /** Reductions one after the other at its end, without a message between. */
  readonly merges: number;
}

/** How a value comes to be. */
export type Making =
  | { readonly kind: 'input' }
  | { readonly kind: 'message'; readonly sent: Value; readonly hop: number }
  | { readonly kind: 'merge'; readonly lower: Value; readonly upper: Value };

/** Everything that a scheme needs: the messages, and the result of each rank that has one. */
export interface Story {
  readonly messages: readonly Value[];
  /** By rank; undefined where nothing is to come out. */
  readonly results: readonly (Value | undefined)[];
}

/** @param ownResult whether a rank's result has its own contribution: scan, not exscan */
export function tell(scheme: Scheme, ranks: number, ownResult: boolean): Story {
  const known: Value[][] = Array.from({ length: ranks }, () => []);
  const values = new Map<string, Value>();
  const messages: Value[] = [];
  const results: (Value | undefined)[] = new Array(ranks).fill(undefined);
  scheme.forEach((tree, high) => {
    const telling = new ClassTelling(tree, high, known, values);
    for (const place of tree.complete) telling.completeAt(place);
    const atPlaces = telling.values();
    messages.push(...telling.messages());
    atPlaces.forEach((values, place) => {
      known[tree.ranks[place]].push(...values);
    });
  });
  for (let rank = ownResult ? 0 : 1; rank < ranks; rank++) {
    const high = ownResult ? rank : rank - 1;
    const whole = known[rank].filter((value) => value.low === 0 && value.high === high);
    if (whole.length === 0) throw new Error(`a scheme brings rank ${rank} no result`);
    results[rank] = whole.reduce(earlier);
  }
  return { messages, results };
}

function earlier(value: Value, other: Value): Value {
  return value.stage < other.stage || (value.stage === other.stage && value.merges < other.merges) ? value : other;
}

/** Values of a class at one place, by the lowest contribution. */
type ByLow = ReadonlyMap<number, Value>;

/** One class. What a message holds stays open until a place that it leads to must have everything. */
class ClassTelling {
  private readonly tree: Scheme[number];
  private readonly high: number;
  private readonly known: readonly (readonly Value[])[];
  /** All values of the scheme, by how they are made. */
  private readonly all: Map<string, Value>;
  /** By place: the message that has been decided on. */
  private readonly decided: (Value | undefined)[];

  constructor(tree: Scheme[number], high: number, known: readonly (readonly Value[])[], all: Map<string, Value>) {
    this.all = all;
    this.tree = tree;
    this.high = high;
    this.known = known;
    this.decided = tree.ranks.map(() => undefined);
  }

  /** Decides what the messages to a place hold. */
  completeAt(place: number): void {
    let wanted = this.reachable(place).get(0);
    for (let at = place; at > 0 && wanted !== undefined; at = this.tree.parents[at]) {
      let arrived = wanted;
      while (arrived.made.kind === 'merge') arrived = arrived.made.upper;
      this.decided[at] ??= arrived;
      wanted = arrived.made.kind === 'message' ? arrived.made.sent : undefined;
    }
  }

  messages(): Value[] {
    return this.decided.filter((value) => value !== undefined);
  }

  /** By place. */
  values(): Value[][] {
    return this.tree.ranks.map((_, place) => [...this.reachable(place).values()]);
  }

  /** The earliest value for each lowest contribution that can be had at a place. */
  private reachable(place: number): ByLow {
    const values = new Map<number, Value>();
    const rank = this.tree.ranks[place];
    const { high } = this;
    const decided = this.decided[place];
    if (place === 0) {
      const own = { rank, low: high, high, made: { kind: 'input' }, stage: 0, merges: 0 } as const;
      values.set(high, this.one(`input ${rank}`, own));
    } else if (decided !== undefined) {
      values.set(decided.low, decided);
    } else {
      const hop = this.tree.hops[place];
      for (const sent of this.reachable(this.tree.parents[place]).values()) {
        const made = { kind: 'message', sent, hop } as const;
        const arrived = { rank, low: sent.low, high, made, stage: sent.stage + 1, merges: 0 };
        values.set(sent.low, this.one(`message ${high} ${place} ${sent.id}`, arrived));
      }
    }
    this.merge(values, rank);
    return values;
  }

  private one(name: string, value: Omit<Value, 'id'>): Value {
    const found = this.all.get(name) ?? { id: this.all.size, ...value };
    this.all.set(name, found);
    return found;
  }

  /** Adds what comes of merging with values of lower classes, from the highest of these down. */
  private merge(values: Map<number, Value>, rank: number): void {
    for (let low = this.high; low > 0; low--) {
      const upper = values.get(low);
      if (upper === undefined) continue;
      for (const lower of this.known[rank]) {
        if (lower.high !== low - 1) continue;
        const merged = this.one(`merge ${lower.id} ${upper.id}`, {
          rank,
          low: lower.low,
          high: this.high,
          made: { kind: 'merge', lower, upper },
          stage: Math.max(lower.stage, upper.stage),
          merges: 1 + Math.max(mergesAt(lower, upper), mergesAt(upper, lower)),
        });
        values.set(merged.low, earlier(merged, values.get(merged.low) ?? merged));
      }
    }
  }
}

/** Reductions at the end of a value that the other one does not wait for a message beyond. */
function mergesAt(value: Value, other: Value): number {
  return value.stage >= other.stage ? value.merges : 0;
}
