/** How much each root has to spread, in integers: shards of different sizes get numbers of trees in proportion. */

import { relativeTolerance } from './limits.ts';

/** A rank whose data all other ranks need. */
export interface SpreadingRoot {
  readonly rank: number;
  /** Its amount in units of the packing; 1 if all have the same. */
  readonly share: number;
}

/** Maximum units of the largest shard: more make numbers of trees large without balancing better. */
const mostUnits = 64;

/** The given ranks with equal amounts. */
export function equalShares(ranks: readonly number[]): SpreadingRoot[] {
  return ranks.map((rank) => ({ rank, share: 1 }));
}

/**
 * Shares in the largest unit for which rounding up changes shards little; ranks without data are no roots. Undefined if
 * all shards are (nearly) equal.
 * @param counts size of each rank's shard in any unit; undefined for equal shards
 */
export function sharesOf(counts: readonly number[] | undefined): readonly SpreadingRoot[] | undefined {
  const largest = Math.max(...(counts ?? []));
  if (counts === undefined || largest === 0) return undefined;
  const sum = counts.reduce((total, count) => total + count, 0);
  let best: { readonly shares: readonly number[]; readonly loss: number } | undefined;
  for (let units = 1; units <= mostUnits; units++) {
    // Quotients that are integers up to rounding errors count as integers.
    const shares = counts.map((count) => Math.ceil(((count * units) / largest) * (1 - 1e-6)));
    const loss = (shares.reduce((total, share) => total + share, 0) * largest) / units / sum - 1;
    if (best === undefined || loss < best.loss) best = { shares, loss };
    if (loss <= relativeTolerance) break;
  }
  if (best === undefined || best.shares.every((share) => share === best.shares[0])) return undefined;
  return best.shares.map((share, rank) => ({ rank, share })).filter(({ share }) => share > 0);
}
