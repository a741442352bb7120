/** How finely to cut a move if all links work in lock step, from closed formulas. */
import { partOfWork } from '../../../ir/effort.ts';
import { distancesFrom } from '../../distances.ts';
import { relativeTolerance } from '../../limits.ts';
import { listLimits } from '../limits.ts';
import type { SpreadProblem } from '../problem.ts';
import { bandwidthInto } from './time-bound.ts';

/** Parts of a shard (per unit of it, with unequal shards), or pieces of a broadcast. */
export function defaultPieces(problem: SpreadProblem): number {
  return problem.kind === 'broadcast' ? piecesOfBroadcast(problem) : partsOfShard(problem);
}

/** By rank: how many links of the mean bandwidth lead into it, at least one. */
function breadths({ ranks, routes }: SpreadProblem): readonly number[] {
  const mean = meanOf(routes().bandwidth);
  return Array.from({ length: ranks }, (_, rank) => Math.max(1, Math.round(bandwidthInto(routes(), rank) / mean)));
}

function meanOf(values: Float64Array): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length;
}

/**
 * The fewest parts that load the links into every rank evenly, up to the relative tolerance: with p parts a rank that lacks u units and has
 * d links in needs ⌈u·p/d⌉ rounds.
 */
function partsOfShard(problem: SpreadProblem): number {
  const { ranks, shares, effort } = problem;
  const most = listLimits.waysTimesItems * partOfWork[effort];
  const all = shares?.reduce((sum, { share }) => sum + share, 0) ?? ranks;
  const ownOf = (rank: number): number =>
    shares === undefined ? 1 : (shares.find((root) => root.rank === rank)?.share ?? 0);
  const needs = breadths(problem).map((breadth, rank) => ({ breadth, units: all - ownOf(rank) }));
  const least = Math.max(...needs.map(({ units, breadth }) => units / breadth));
  const roundsFor = (parts: number): number =>
    Math.max(...needs.map(({ units, breadth }) => Math.ceil((units * parts) / breadth))) / parts;
  let best = 1;
  for (let parts = 2; roundsFor(best) > least * (1 + relativeTolerance); parts++) {
    if (ranks * all * parts > listLimits.deliveries || problem.routes().arcs.length * all * parts > most) break;
    if (roundsFor(parts) < roundsFor(best)) best = parts;
  }
  return best;
}

/**
 * Pieces of a broadcast. C pieces over d links and e steps to the farthest rank take about (C/d + e − 1)(α + M/(Cβ)), which is minimal at C
 * = √((e − 1) · d · M/(αβ)); rounded to a multiple of d, which fills the links.
 */
function piecesOfBroadcast(problem: SpreadProblem): number {
  const { size, root, ranks, inBulks } = problem;
  const { bandwidth, latency, to, firstOut } = problem.routes();
  const breadth = Math.min(...breadths(problem).filter((_, rank) => rank !== root));
  const farthest = Math.max(...distancesFrom(root, ranks, (rank) => to.subarray(firstOut[rank], firstOut[rank + 1])));
  // Without bytes the root is 0, or NaN if the latency is 0 as well.
  const best = Math.sqrt(((farthest - 1) * breadth * size) / (meanOf(latency) * meanOf(bandwidth))) || 1;
  const pieces = Math.min(
    inBulks ? listLimits.piecesInBulks * breadth : best,
    (inBulks ? listLimits.deliveriesInBulks : listLimits.deliveries) / ranks,
  );
  return Math.max(1, Math.round(pieces / breadth)) * breadth;
}
