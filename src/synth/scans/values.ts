/** What messages and results of a scan hold: sums over ranks that follow each other, and how each comes to be. One vocabulary for all ways to scan. */

/** The combined contributions of ranks `low` … `high` of one chunk, at a rank. */
export interface Value {
  /** The same for the same value. */
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

export type Making =
  | { readonly kind: 'input' }
  | { readonly kind: 'message'; readonly sent: Value }
  | { readonly kind: 'merge'; readonly lower: Value; readonly upper: Value };

/** All that a scan of one chunk needs: the messages, and the result of each rank that has one. */
export interface Story {
  readonly messages: readonly Value[];
  /** By rank; undefined where nothing is to come out. */
  readonly results: readonly (Value | undefined)[];
}

/** When a sum of two is there, at the earliest. */
export function mergedWhen(lower: Value, upper: Value, earliest = 0): Pick<Value, 'stage' | 'merges'> {
  const stage = Math.max(lower.stage, upper.stage, earliest);
  const merges = (value: Value): number => (value.stage === stage ? value.merges : 0);
  return { stage, merges: 1 + Math.max(merges(lower), merges(upper)) };
}

/** Makes the values of a chunk, each once. */
export class Values {
  private readonly all = new Map<string, Value>();

  input(rank: number): Value {
    const ends = { rank, low: rank, high: rank };
    return this.one(`input ${rank}`, { ...ends, made: { kind: 'input' }, stage: 0, merges: 0 });
  }

  /** @param earliest the stage in which it is sent or made, if it can be by then */
  sent(value: Value, rank: number, earliest = 0): Value {
    const { low, high } = value;
    const stage = Math.max(value.stage + 1, earliest);
    return this.one(`${value.id} to ${rank}`, {
      rank,
      low,
      high,
      made: { kind: 'message', sent: value },
      stage,
      merges: 0,
    });
  }

  merged(lower: Value, upper: Value, earliest = 0): Value {
    const { stage, merges } = mergedWhen(lower, upper, earliest);
    const made = { kind: 'merge', lower, upper } as const;
    const ends = { rank: upper.rank, low: lower.low, high: upper.high };
    return this.one(`${lower.id} and ${upper.id}`, { ...ends, made, stage, merges });
  }

  private one(name: string, value: Omit<Value, 'id'>): Value {
    const found = this.all.get(name) ?? { id: this.all.size, ...value };
    this.all.set(name, found);
    return found;
  }
}
