/** Shares of columns as whole numbers of chunks. */
import { type Effort, partOfWork } from '../../ir/effort.ts';
import type { Seconds } from '../../ir/units.ts';
import { precision, roundsChunkLimits } from './limits.ts';
import type { MasterAnswer } from './master.ts';
import { loadsOf, type RoundsProblem, type TreeColumn } from './problem.ts';

/** A column with chunks of its commodity: `count` of them, of which there are C. */
export interface ColumnShare {
  readonly column: TreeColumn;
  readonly count: number;
}

/** @returns parts of each commodity, which add up to `chunks` */
export interface Rounded {
  readonly chunks: number;
  readonly parts: readonly (readonly ColumnShare[])[];
  /** Of all rounds, without their latencies. */
  readonly seconds: Seconds;
}

/** The mixture in the least number of chunks, a power of two, with which rounds are hardly longer, or else the best; in `chunks` where that is given. */
export function roundedMixture(
  problem: RoundsProblem,
  mixture: MasterAnswer,
  chunks: number | undefined,
  effort: Effort = 'full',
): Rounded {
  const latencies = problem.rounds * problem.network.latency;
  const most = Math.min(
    roundsChunkLimits.each,
    (roundsChunkLimits.together * partOfWork[effort]) / problem.commodities.length,
  );
  let best: Rounded | undefined;
  for (let tried = chunks ?? 1; best === undefined || (chunks === undefined && tried <= most); tried *= 2) {
    const parts = partsOf(problem, mixture, tried);
    const seconds = roundsTime(problem, parts, tried);
    if (best === undefined || seconds < best.seconds) best = { chunks: tried, parts, seconds };
    if (seconds - mixture.seconds <= precision * (latencies + mixture.seconds)) break;
  }
  return best;
}

/** By commodity: shares of C chunks by largest remainders; columns without a chunk are left out. */
function partsOf({ commodities }: RoundsProblem, { columns, shares }: MasterAnswer, chunks: number): ColumnShare[][] {
  return commodities.map((_, commodity) => {
    const members = [...columns.keys()].filter((c) => columns[c].commodity === commodity && shares[c] > 0);
    const counts = members.map((c) => Math.floor(shares[c] * chunks + 1e-9));
    const missing = chunks - counts.reduce((sum, count) => sum + count, 0);
    const rest = (index: number): number => shares[members[index]] * chunks - counts[index];
    const order = [...members.keys()].sort((a, b) => rest(b) - rest(a) || a - b);
    for (const index of order.slice(0, missing)) counts[index]++;
    return members.map((c, index) => ({ column: columns[c], count: counts[index] })).filter(({ count }) => count > 0);
  });
}

/** What the rounds of these parts take without their latencies: what the busiest way or link takes, and then the busiest rank that reduces. */
function roundsTime(problem: RoundsProblem, parts: readonly (readonly ColumnShare[])[], chunks: number): Seconds {
  const { network, rounds, commodities } = problem;
  const { headStart, arcs, ranks } = network;
  const taken = Array.from({ length: rounds }, () => headStart.map((sooner) => -sooner));
  for (const { column, count } of parts.flat()) {
    const bytes = (commodities[column.commodity].bytes * count) / chunks;
    for (const hop of column.hops) {
      const round = taken[Math.floor(hop / arcs.length)];
      for (const { resource, perByte } of loadsOf(problem, column, hop)) round[resource] += bytes * perByte;
    }
  }
  const longest = (times: Float64Array): Seconds => times.reduce((most, time) => Math.max(most, time), 0);
  return taken.reduce((sum, round) => sum + longest(round.subarray(0, -ranks)) + longest(round.subarray(-ranks)), 0);
}

/**
 * Parts such that neighbours take many ways together, so that slices of a message join: each is followed by the one that has most hops in common
 * with it. The first is the one with most chunks.
 */
export function neighbours(parts: readonly ColumnShare[]): ColumnShare[] {
  const left = [...parts].sort((a, b) => b.count - a.count);
  const ordered: ColumnShare[] = left.splice(0, 1);
  while (left.length > 0) {
    const hops = new Set(ordered[ordered.length - 1].column.hops);
    let [best, most] = [0, -1];
    left.forEach(({ column }, index) => {
      const common = column.hops.reduce((count, hop) => count + (hops.has(hop) ? 1 : 0), 0);
      if (common > most) [best, most] = [index, common];
    });
    ordered.push(...left.splice(best, 1));
  }
  return ordered;
}
