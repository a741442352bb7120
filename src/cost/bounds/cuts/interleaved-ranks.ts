/**
 * Sets of ranks for cuts of scans and alltoalls. Rank t needs the inputs of all ranks up to t of a scan, and of no others: for each
 * stretch of ranks inside that is followed by one outside, a value of its own must cross the cut (needs.ts). So the tightest cuts have
 * both sides interleaved: on a hypercube the even ranks against the odd ones. On a mesh one half of each row against the other is
 * also what most alltoalls are limited by.
 */

/** Up to this many ranks, all periods are looked at and the best sets are improved; of more, periods that divide their number. */
const mostRanksToImprove = 64;
/** Sets that are improved. */
const mostStarts = 4;
/** Times that all ranks are tried on the other side. */
const mostPasses = 8;

/** Good sets by their rate. @param rate of a set, the more the tighter; 0 if nothing can cross */
export function interleavedRanks(ranks: number, rate: (set: readonly number[]) => number): number[][] {
  const sets = periodicSets(ranks).map((set) => ({ set, rate: rate(set) }));
  sets.sort((a, b) => b.rate - a.rate);
  const best = sets.slice(0, mostStarts);
  return best.map(({ set, rate: first }) => (ranks <= mostRanksToImprove ? improved(set, first, ranks, rate) : set));
}

/** In each period a run of ranks, one rank or half of them long. */
function periodicSets(ranks: number): number[][] {
  const sets: number[][] = [];
  for (let period = 2; period <= ranks; period++) {
    if (ranks > mostRanksToImprove && ranks % period !== 0) continue;
    for (const width of new Set([1, period >> 1])) {
      for (const first of new Set([0, period - width])) {
        const isInside = (rank: number) => (rank + period - first) % period < width;
        sets.push(Array.from({ length: ranks }, (_, rank) => rank).filter(isInside));
      }
    }
  }
  return sets;
}

/** Moves single ranks to the other side as long as that makes the set better. */
function improved(set: readonly number[], first: number, ranks: number, rate: (set: readonly number[]) => number) {
  let best = { set: [...set], rate: first };
  for (let pass = 0, better = true; better && pass < mostPasses; pass++) {
    better = false;
    for (let rank = 0; rank < ranks; rank++) {
      const moved = best.set.includes(rank) ? best.set.filter((other) => other !== rank) : [...best.set, rank];
      if (moved.length === 0 || moved.length === ranks) continue;
      const movedRate = rate(moved);
      if (movedRate <= best.rate * (1 + 1e-9)) continue;
      best = { set: moved, rate: movedRate };
      better = true;
    }
  }
  return best.set.sort((a, b) => a - b);
}
