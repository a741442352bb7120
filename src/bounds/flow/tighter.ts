/**
 * Guarantees that Dinkelbach's method terminates: each cut that it finds must be strictly tighter than the one before.
 */

/** Chips per bandwidth as an exact fraction of two integers. */
export interface CutRatio {
  readonly chips: number;
  readonly bandwidth: number;
}

/**
 * Returns `found` if its ratio of chips to bandwidth exceeds that of the cut before. There are finitely many cuts, so a
 * search that only continues with what passes here ends.
 * @throws Error otherwise: a flow or a cut was computed wrongly, which is a bug
 */
export function tighter<Found extends CutRatio>(found: Found, before: CutRatio): Found {
  if (found.chips * before.bandwidth > before.chips * found.bandwidth) return found;
  const ratio = ({ chips, bandwidth }: CutRatio) => `${chips} chips for a bandwidth of ${bandwidth}`;
  throw new Error(
    `the minimum cut (${ratio(found)}) is not tighter than the cut that it should beat (${ratio(before)})`,
  );
}
