/** Rounds the shares of columns to whole numbers of chunks. */
import { type Effort, partOfWork } from '../../ir/effort.ts';
import type { Seconds } from '../../ir/units.ts';
import { precision, roundsChunkLimits } from './limits.ts';
import type { MasterAnswer } from './master.ts';
import { loadsOf, type RoundsProblem, type TreeColumn } from './problem.ts';

/** A column with `count` of the C chunks of its commodity. */
export interface ColumnShare {
  readonly column: TreeColumn;
  readonly count: number;
}

/** @returns shares of each commodity, which add up to `chunks` */
export interface Rounded {
  readonly chunks: number;
  readonly parts: readonly (readonly ColumnShare[])[];
  /** Of all rounds, without their latencies. */
  readonly seconds: Seconds;
}

/**
 * The mixture in the fewest chunks, a power of two, that lengthens rounds negligibly; otherwise in the best number; or
 * in exactly `chunks` if given.
 */
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

/** By commodity: the shares in C chunks by the method of largest remainders; columns without a chunk are omitted. */
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

/**
 * Total time of the rounds for these shares, without latencies: for each round the busiest arc or link, then the
 * busiest reducing rank.
 */
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
 * Orders shares such that neighbours have many hops in common, so that slices of a message coalesce: greedily, from the
 * one with the most chunks on, each is followed by the one that shares most hops with it.
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
