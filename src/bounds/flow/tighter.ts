/** What keeps Dinkelbach's method from going on for ever: each cut that it finds is tighter than the one before. */

/** Chips for bandwidth, both whole numbers whose products are exact. */
export interface CutRatio {
  readonly chips: number;
  readonly bandwidth: number;
}

/**
 * The cut that was found, which has more chips for its bandwidth than the one before. There are finitely many cuts, so a search that
 * goes on only with what passes here ends.
 * @throws Error if it has not: a flow or a cut was miscounted, which is a bug
 */
export function tighter<Found extends CutRatio>(found: Found, before: CutRatio): Found {
  if (found.chips * before.bandwidth > before.chips * found.bandwidth) return found;
  const ratio = ({ chips, bandwidth }: CutRatio) => `${chips} chips for a bandwidth of ${bandwidth}`;
  throw new Error(
    `the minimum cut (${ratio(found)}) is not tighter than the cut that it should beat (${ratio(before)})`,
  );
}
