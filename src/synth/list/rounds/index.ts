/** The strategy `rounds`: all links work in lock step, and every step brings as much as it can. */
import { distancesFrom } from '../../distances.ts';
import { tolerance } from '../../limits.ts';
import { limits } from '../limits.ts';
import type { SpreadProblem, Strategy } from '../problem.ts';
import { fastestRounds } from './search.ts';
import { breadthOf, type UnitLinks, unitLinksOf } from './unit-links.ts';

/** Pieces × ranks of broadcasts in bulks. */
const mostPiecesInBulks = 1 << 15;

export const rounds: Strategy = {
  name: 'rounds',
  unfit(problem) {
    const links = unitLinksOf(problem);
    return typeof links === 'string' ? links : undefined;
  },
  leastLatency: () => 0,
  itemsPerShard(problem) {
    const links = linksOf(problem);
    return problem.kind === 'broadcast' ? piecesOfBroadcast(links, problem) : partsOfShard(links, problem);
  },
  search(spread, problem) {
    const moves = fastestRounds(linksOf(problem), spread, problem);
    if (moves === undefined) throw new Error(`rounds: not every rank of ${problem.topology.name} can be reached`);
    return moves;
  },
};

function linksOf(problem: SpreadProblem): UnitLinks {
  const links = unitLinksOf(problem);
  if (typeof links === 'string') throw new Error(`rounds were asked for where ${links}`);
  return links;
}

/** As few parts of a shard, or of each unit of shards that differ, as fill the links into every rank evenly enough. */
function partsOfShard(links: UnitLinks, { shares }: SpreadProblem): number {
  const all = shares?.reduce((sum, { share }) => sum + share, 0) ?? links.ranks;
  const needs = Array.from({ length: links.ranks }, (_, rank) => {
    const own = shares === undefined ? 1 : (shares.find((root) => root.rank === rank)?.share ?? 0);
    return { units: all - own, breadth: breadthOf(links, rank) };
  });
  const exact = Math.max(...needs.map(({ units, breadth }) => units / breadth));
  const roundsFor = (parts: number): number =>
    Math.max(...needs.map(({ units, breadth }) => Math.ceil((units * parts) / breadth))) / parts;
  let best = 1;
  for (let parts = 2; roundsFor(best) > exact * (1 + tolerance); parts++) {
    if (links.ranks * all * parts > limits.deliveries) break;
    if (roundsFor(parts) < roundsFor(best)) best = parts;
  }
  return best;
}

/**
 * C chunks over d links and e steps to the farthest rank take about (C/d + e − 1)(α + M/(Cβ)), which is least at
 * C = √((e − 1) · d · M/(αβ)); whole multiples of d fill the links.
 */
function piecesOfBroadcast(links: UnitLinks, { size, root, inBulks, ...problem }: SpreadProblem): number {
  const { ranks, latency, bandwidth } = links;
  const others = Array.from({ length: ranks }, (_, rank) => rank).filter((rank) => rank !== root);
  const breadth = Math.min(...others.map((rank) => breadthOf(links, rank)));
  const { to, firstOut } = problem.ways();
  const next = (rank: number) => to.subarray(firstOut[rank], firstOut[rank + 1]);
  const steps = Math.max(...distancesFrom(root, ranks, next));
  const wanted = Math.sqrt(((steps - 1) * breadth * size) / (latency * bandwidth));
  const wished = inBulks ? limits.piecesInBulks * breadth : Number.POSITIVE_INFINITY;
  const most = Math.min(wished, Math.floor((inBulks ? mostPiecesInBulks : limits.deliveries) / ranks));
  return Math.max(1, Math.round(Math.min(wanted, most) / breadth)) * breadth;
}
