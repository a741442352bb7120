/**
 * Interleaved sets of ranks as sides of cuts for scans and alltoalls. In a scan rank t needs the inputs of ranks 0 … t
 * and no others: for each run of ranks inside that is followed by one outside, one separate value must cross the cut
 * (needs.ts). The tightest cuts therefore interleave both sides, such as even against odd ranks on a hypercube. On a
 * mesh, half of each row against the other half is also what limits most alltoalls.
 */

import { searched } from '../limits.ts';
import type { ChangingSide } from './changing-side.ts';

/**
 * Returns good sets and their rates.
 * @param rate the rate of the side as it stands (higher is tighter), 0 if nothing can cross
 */
export function interleavedRanks(side: ChangingSide, rate: () => number): number[][] {
  const sets = periodicSets(side.ranks).map((set) => {
    side.begin(set);
    return { set, rate: rate() };
  });
  sets.sort((a, b) => b.rate - a.rate);
  const best = sets.slice(0, searched.interleavedStarts).map(({ set }) => set);
  return side.ranks <= searched.ranksForRuns ? best.map((set) => improved(set, side, rate)) : best;
}

/** Periodic sets: in each period a run of ranks, either one rank or half of the period long. */
function periodicSets(ranks: number): number[][] {
  const sets: number[][] = [];
  for (let period = 2; period <= ranks; period++) {
    if (ranks > searched.ranksForRuns && ranks % period !== 0) continue;
    for (const width of new Set([1, period >> 1])) {
      for (const first of new Set([0, period - width])) sets.push(periodicSet(ranks, period, first, width));
    }
  }
  return sets;
}

function periodicSet(ranks: number, period: number, first: number, width: number): number[] {
  const set: number[] = [];
  for (let start = first; start < ranks; start += period) {
    for (let rank = start; rank < Math.min(start + width, ranks); rank++) set.push(rank);
  }
  return set;
}

/** Hill climbing: moves single ranks across the cut while that increases the rate. */
function improved(set: readonly number[], side: ChangingSide, rate: () => number): number[] {
  const { ranks, holders } = side;
  side.begin(set);
  let best = rate();
  for (let pass = 0, better = true; better && pass < searched.interleavedPasses; pass++) {
    better = false;
    for (let rank = 0; rank < ranks; rank++) {
      if (side.held === (holders[rank] === 1 ? 1 : ranks - 1)) continue;
      side.flip(rank);
      const moved = rate();
      if (moved <= best * (1 + 1e-9)) {
        side.flip(rank);
        continue;
      }
      best = moved;
      better = true;
    }
  }
  return [...holders.keys()].filter((rank) => holders[rank] === 1);
}
