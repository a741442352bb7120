/** Shares of columns as whole numbers of chunks. */
import { type Effort, partOfWork } from '../../ir/effort.ts';
import type { Seconds } from '../../ir/units.ts';
import type { Column } from './columns.ts';
import type { Mixture } from './generation.ts';
import { precision } from './limits.ts';
import { type RoundsProblem, reducerOf } from './problem.ts';

/** A column with chunks of its commodity: `count` of them, of which there are C. */
export interface Part {
  readonly column: Column;
  readonly count: number;
}

/** Parts in so few chunks as lose next to nothing. @returns those of each commodity, which add up to `chunks` */
export interface Rounded {
  readonly chunks: number;
  readonly parts: readonly (readonly Part[])[];
  /** Of all rounds, without their latencies. */
  readonly seconds: Seconds;
}

/** Numbers of chunks that are tried. */
const roundings = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 256, 512, 1024, 2048, 4096] as const;
/** Chunks of all commodities together: plans of more take long to prove. */
const mostChunks = 16_384;

/** The mixture in the least number of chunks with which rounds are hardly longer, or else the best; in `chunks` where that is given. */
export function rounded(
  problem: RoundsProblem,
  mixture: Mixture,
  chunks: number | undefined,
  effort: Effort = 'full',
): Rounded {
  const latencies = problem.rounds * problem.network.latency;
  const most = (mostChunks * partOfWork[effort]) / problem.commodities.length;
  const tries = chunks === undefined ? roundings.filter((tried) => tried <= most) : [chunks];
  let best: Rounded | undefined;
  for (const tried of tries) {
    const parts = partsOf(problem, mixture, tried);
    const seconds = roundsTime(problem, parts, tried);
    if (best === undefined || seconds < best.seconds) best = { chunks: tried, parts, seconds };
    if (seconds - mixture.seconds <= precision * (latencies + mixture.seconds)) break;
  }
  if (best === undefined) throw new Error('no number of chunks was tried');
  return best;
}

/** By commodity: shares of C chunks by largest remainders; columns without a chunk are left out. */
function partsOf({ commodities }: RoundsProblem, { columns, shares }: Mixture, chunks: number): Part[][] {
  const own: number[][] = commodities.map(() => []);
  columns.forEach(({ commodity }, c) => {
    if (shares[c] > 0) own[commodity].push(c);
  });
  return own.map((members) => {
    const counts = members.map((c) => Math.floor(shares[c] * chunks + 1e-9));
    const missing = chunks - counts.reduce((sum, count) => sum + count, 0);
    const rest = (index: number): number => shares[members[index]] * chunks - counts[index];
    const order = [...members.keys()].sort((a, b) => rest(b) - rest(a) || a - b);
    for (const index of order.slice(0, missing)) counts[index]++;
    return members.map((c, index) => ({ column: columns[c], count: counts[index] })).filter(({ count }) => count > 0);
  });
}

/** What the rounds of these parts take without their latencies. */
function roundsTime(problem: RoundsProblem, parts: readonly (readonly Part[])[], chunks: number): Seconds {
  const { network, rounds, commodities } = problem;
  const ways = network.from.length;
  const bytes = new Float64Array(rounds * ways);
  const reduced = new Float64Array(rounds * network.ranks);
  for (const part of parts.flat()) {
    const carried = (commodities[part.column.commodity].bytes * part.count) / chunks;
    for (const hop of part.column.hops) {
      bytes[hop] += carried;
      const rank = reducerOf(problem, part.column, hop);
      if (rank >= 0) reduced[Math.floor(hop / ways) * network.ranks + rank] += carried;
    }
  }
  let sum = 0;
  for (let round = 0; round < rounds; round++) {
    const [carried, combined] = [
      bytes.subarray(round * ways, (round + 1) * ways),
      reduced.subarray(round * network.ranks),
    ];
    let longest = 0;
    carried.forEach((count, way) => {
      longest = Math.max(longest, count * network.perByte[way] - network.headStart[way]);
    });
    for (const { ways: over, perByte } of network.shared) {
      longest = Math.max(longest, perByte * over.reduce((total, way) => total + carried[way], 0));
    }
    let reducing = 0;
    for (let rank = 0; rank < network.ranks; rank++) {
      reducing = Math.max(reducing, combined[rank] * network.reducePerByte[rank]);
    }
    sum += longest + reducing;
  }
  return sum;
}
