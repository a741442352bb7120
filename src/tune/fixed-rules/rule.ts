/** What a library chooses from the number of ranks and the message size alone, whatever the machine. */
import type { CollectiveKind } from '../../ir/collective.ts';
import type { Bytes } from '../../ir/units.ts';

/** What a rule chooses. */
export interface RuleChoice {
  /** A schedule of `schedules/`; for other algorithms the name that a schedule would have. */
  readonly schedule: string;
  /** Size of the segments in which the message (on a segmented ring: one rank's part) is sent; absent: whole. */
  readonly segment?: Bytes;
}

/** `size` is M, the larger of a rank's two buffers. */
export type Rule = (ranks: number, size: Bytes) => RuleChoice;

export interface RuleBook {
  /** The library, and the releases that decide this way. */
  readonly library: string;
  /** Rules by collective; collectives without a rule are absent. */
  readonly rules: Partial<Readonly<Record<CollectiveKind, Rule>>>;
  /** The rules for operators that do not commute. */
  readonly inOrder: Partial<Readonly<Record<CollectiveKind, Rule>>>;
}

export const KiB = 1024;

export function isPowerOfTwo(ranks: number): boolean {
  return Number.isInteger(Math.log2(ranks));
}

/**
 * Recursive halving for any number of ranks: for other numbers than powers of two, the surplus ranks are first paired
 * with others.
 */
export function recursiveHalving(ranks: number): RuleChoice {
  return { schedule: `${isPowerOfTwo(ranks) ? '' : 'folded-'}recursive-halving-reducescatter` };
}
