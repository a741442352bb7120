/** What messages and results of a scan hold: sums over ranks that follow each other, and how each comes to be. One vocabulary for all ways to scan. */

/** The combined contributions of ranks `low` … `high` of one chunk, at a rank. */
export interface ScanValue {
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
  | { readonly kind: 'message'; readonly sent: ScanValue }
  | { readonly kind: 'merge'; readonly lower: ScanValue; readonly upper: ScanValue };

/** All that a scan of one chunk needs: the messages, and the result of each rank that has one. */
export interface Story {
  readonly messages: readonly ScanValue[];
  /** By rank; undefined where nothing is to come out. */
  readonly results: readonly (ScanValue | undefined)[];
}

/** When a sum of two is there, at the earliest. */
export function sumReadyAt(lower: ScanValue, upper: ScanValue, earliest = 0): Pick<ScanValue, 'stage' | 'merges'> {
  const stage = Math.max(lower.stage, upper.stage, earliest);
  const before = lower.stage === stage ? lower.merges : 0;
  return { stage, merges: 1 + Math.max(before, upper.stage === stage ? upper.merges : 0) };
}

/** Makes the values of a chunk, each once. */
export class ScanValues {
  private readonly inputs = new Map<number, ScanValue>();
  /** By the value that is sent and the rank that it is sent to, and by the two that are merged. */
  private readonly messages = new Map<number, ScanValue>();
  private readonly sums = new Map<number, ScanValue>();
  private count = 0;

  input(rank: number): ScanValue {
    const ends = { rank, low: rank, high: rank };
    return (
      this.inputs.get(rank) ?? this.add(this.inputs, rank, { ...ends, made: { kind: 'input' }, stage: 0, merges: 0 })
    );
  }

  /** @param earliest the stage in which it is sent or made, if it can be by then */
  sent(sent: ScanValue, rank: number, earliest = 0): ScanValue {
    const key = keyOf(sent.id, rank);
    const known = this.messages.get(key);
    if (known !== undefined) return known;
    const { low, high } = sent;
    const stage = Math.max(sent.stage + 1, earliest);
    return this.add(this.messages, key, { rank, low, high, made: { kind: 'message', sent }, stage, merges: 0 });
  }

  merged(lower: ScanValue, upper: ScanValue, earliest = 0): ScanValue {
    const key = keyOf(lower.id, upper.id);
    const known = this.sums.get(key);
    if (known !== undefined) return known;
    const { low } = lower;
    const { rank, high } = upper;
    const { stage, merges } = sumReadyAt(lower, upper, earliest);
    return this.add(this.sums, key, { rank, low, high, made: { kind: 'merge', lower, upper }, stage, merges });
  }

  private add(to: Map<number, ScanValue>, key: number, value: Omit<ScanValue, 'id'>): ScanValue {
    const added = { id: this.count++, ...value };
    to.set(key, added);
    return added;
  }
}

/** One number for two, of which the second is below 2²⁶. */
function keyOf(first: number, second: number): number {
  return first * 2 ** 26 + second;
}
