/**
 * Sets of ranks for cuts of scans and alltoalls. Rank t needs the inputs of all ranks up to t of a scan, and of no others: for each
 * stretch of ranks inside that is followed by one outside, a value of its own must cross the cut (needs.ts). So the tightest cuts have
 * both sides interleaved: on a hypercube the even ranks against the odd ones. On a mesh one half of each row against the other is
 * also what most alltoalls are limited by.
 */

import { searched } from '../limits.ts';
import type { ChangingSide } from './changing-side.ts';

/** Good sets by their rate. @param rate of the side as it is, the more the tighter; 0 if nothing can cross */
export function interleavedRanks(side: ChangingSide, rate: () => number): number[][] {
  const sets = periodicSets(side.ranks).map((set) => {
    side.begin(set);
    return { set, rate: rate() };
  });
  sets.sort((a, b) => b.rate - a.rate);
  const best = sets.slice(0, searched.interleavedStarts).map(({ set }) => set);
  return side.ranks <= searched.ranksForRuns ? best.map((set) => improved(set, side, rate)) : best;
}

/** In each period a run of ranks, one rank or half of them long. */
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

/** Moves single ranks to the other side as long as that makes the set better. */
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
