/** How much each root has to spread, in whole numbers: shards of different sizes get trees in proportion to them. */

import { relativeTolerance } from './limits.ts';

/** A rank with data for all others. */
export interface SpreadingRoot {
  readonly rank: number;
  /** What it has, in units of the packing; 1 where all have the same. */
  readonly share: number;
}

/** Units in the largest shard at most: beyond that numbers of trees get large, and nothing gets more even. */
const mostUnits = 64;

/** The ranks, each with as much as every other. */
export function equalShares(ranks: readonly number[]): SpreadingRoot[] {
  return ranks.map((rank) => ({ rank, share: 1 }));
}

/**
 * Shares in the largest unit by which shards are rounded up by little; ranks without data are no roots. Undefined where all have
 * the same, or nearly so.
 *
 * @param counts of each rank's shard, in any unit; undefined for shards of one size
 */
export function sharesOf(counts: readonly number[] | undefined): readonly SpreadingRoot[] | undefined {
  const largest = Math.max(...(counts ?? []));
  if (counts === undefined || largest === 0) return undefined;
  const sum = counts.reduce((total, count) => total + count, 0);
  let best: { readonly shares: readonly number[]; readonly loss: number } | undefined;
  for (let units = 1; units <= mostUnits; units++) {
    // A quotient that is whole but for rounding counts as whole.
    const shares = counts.map((count) => Math.ceil(((count * units) / largest) * (1 - 1e-6)));
    const loss = (shares.reduce((total, share) => total + share, 0) * largest) / units / sum - 1;
    if (best === undefined || loss < best.loss) best = { shares, loss };
    if (loss <= relativeTolerance) break;
  }
  if (best === undefined || best.shares.every((share) => share === best.shares[0])) return undefined;
  return best.shares.map((share, rank) => ({ rank, share })).filter(({ share }) => share > 0);
}
