/** What a library chooses from the number of ranks and the size alone, whatever the machine. */
import type { CollectiveKind } from '../../ir/collective.ts';
import type { Bytes } from '../../ir/units.ts';

/** What a rule chooses. */
export interface RuleChoice {
  /** A schedule of `schedules/`; of an algorithm that is not among them the name that it would have. */
  readonly schedule: string;
  /** Segments that the message (of a ring with segments: one rank's part) is sent in; absent: whole. */
  readonly segment?: Bytes;
}

/** `size` is the project's M, the larger of a rank's two buffers. */
export type Rule = (ranks: number, size: Bytes) => RuleChoice;

export interface RuleBook {
  /** With the releases that decide so. */
  readonly library: string;
  /** Collectives without a rule are missing. */
  readonly rules: Partial<Readonly<Record<CollectiveKind, Rule>>>;
  /** The same for operators that do not commute. */
  readonly inOrder: Partial<Readonly<Record<CollectiveKind, Rule>>>;
}

export const KiB = 1024;

export function isPowerOfTwo(ranks: number): boolean {
  return Number.isInteger(Math.log2(ranks));
}

/** Recursive halving for any number of ranks: beyond a power of two, pairs are folded first. */
export function recursiveHalving(ranks: number): RuleChoice {
  return { schedule: `${isPowerOfTwo(ranks) ? '' : 'folded-'}recursive-halving-reducescatter` };
}
