/**
 * Symbolic values of a scan: sums over consecutive ranks, and how each one is computed. All scan algorithms of this engine describe
 * themselves in these terms.
 */

/** The combined contributions of ranks `low` … `high` of one chunk, at a rank. */
export interface ScanValue {
  /** Equal for equal values. */
  readonly id: number;
  readonly rank: number;
  readonly low: number;
  readonly high: number;
  readonly made: Making;
  /** Length of the longest sequence of messages that it depends on. */
  readonly stage: number;
  /** Consecutive reductions after the last of those messages. */
  readonly merges: number;
}

/** How a value comes about: it is a rank's input, arrives as a message, or merges two values of the same rank. */
export type Making =
  | { readonly kind: 'input' }
  | { readonly kind: 'message'; readonly sent: ScanValue }
  | { readonly kind: 'merge'; readonly lower: ScanValue; readonly upper: ScanValue };

/** The scan of one chunk: its messages, and the result of each rank that has one. */
export interface Story {
  readonly messages: readonly ScanValue[];
  /** By rank; undefined if the rank has no result. */
  readonly results: readonly (ScanValue | undefined)[];
}

/** The earliest stage of a sum of two values, and its consecutive reductions in that stage. */
export function sumReadyAt(lower: ScanValue, upper: ScanValue, earliest = 0): Pick<ScanValue, 'stage' | 'merges'> {
  const stage = Math.max(lower.stage, upper.stage, earliest);
  const before = lower.stage === stage ? lower.merges : 0;
  return { stage, merges: 1 + Math.max(before, upper.stage === stage ? upper.merges : 0) };
}

/** Creates the values of a chunk; equal values are created once. */
export class ScanValues {
  private readonly inputs = new Map<number, ScanValue>();
  /** By the sent value and the receiver; by the two merged values. */
  private readonly messages = new Map<number, ScanValue>();
  private readonly sums = new Map<number, ScanValue>();
  private count = 0;

  input(rank: number): ScanValue {
    const ends = { rank, low: rank, high: rank };
    return (
      this.inputs.get(rank) ?? this.add(this.inputs, rank, { ...ends, made: { kind: 'input' }, stage: 0, merges: 0 })
    );
  }

  /** @param earliest the stage is not earlier than this */
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

/** Combines two integers into one key; the second must be below 2²⁶. */
function keyOf(first: number, second: number): number {
  return first * 2 ** 26 + second;
}
