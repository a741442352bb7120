/** How far all values of a scan go at least, by lengths of links (docs/bounds.md). */
import type { Collective } from '../../ir/collective.ts';
import type { Topology } from '../../ir/topology.ts';
import { sumOf, waysFrom } from './ways.ts';

/**
 * The least sum, over all ranks v(1) … v(N − 1) at which rank m's contribution could meet that of m − 1, of what the messages must go
 * whose highest contribution is m's: from m to v(m), back to m, and to v(m + 1) from somewhere on that round.
 */
export function lengthOfScan(lengths: readonly number[], { kind }: Collective, topology: Topology): number {
  const { chips } = topology;
  const far = chips.map((chip) => {
    const ways = waysFrom(topology, [chip], (_, index) => lengths[index]);
    return chips.map((other) => ways[other]);
  });
  if (kind === 'exscan') return sumOf(chips.slice(1).map((_, rank) => far[rank][rank + 1]));
  const all = chips.map((_, rank) => rank);
  let least = all.map((meet) => (meet === 0 ? 0 : Number.POSITIVE_INFINITY));
  for (const rank of all) {
    const round = (meet: number, by: number) =>
      Math.min(far[rank][by] + far[by][meet] + far[meet][rank], far[rank][meet] + far[meet][by] + far[by][rank]);
    const leaving = all.map((by) => Math.min(...all.map((meet) => least[meet] + round(meet, by))));
    const isLast = rank === chips.length - 1;
    least = isLast ? leaving : all.map((next) => Math.min(...all.map((by) => leaving[by] + far[by][next])));
  }
  return Math.min(...least);
}
