/** The strategy `rounds`: all links work in lock step, and every step brings as much as it can. */
import type { Effort } from '../../../ir/effort.ts';
import { greatestCommonDivisor } from '../../../ir/whole-numbers.ts';
import type { Root } from '../../shares.ts';
import type { SpreadProblem, Strategy } from '../problem.ts';
import { type Moves, type Spread, spreadOf } from '../spread.ts';
import { fastestRounds, leastRoundsAndSteps, secondsOf } from './search.ts';
import { breadthOf, distancesFrom, leastBreadth, type UnitLinks, unitLinksOf } from './unit-links.ts';

/** Items × ranks of one search are kept below this, unless the user asked for more. */
const mostDeliveries = 1 << 21;
/** Time that may be lost by whole shards where they do not fill all links, as a share. */
const mostRounding = { quick: 0.02, full: 0.005 } as const;
/** Units of shards that differ are not cut into more parts. */
const mostUnitParts = 8;
/** A finer cut than this gains nothing worth the operations. */
const mostItems = 256;
/** Pieces over each link of the narrowest rank, of moves that run in many bulks. */
const piecesInBulks = 6;
/** Pieces × ranks of broadcasts: finer cuts would make plans of millions of operations. */
const mostPieces = { inOneBulk: 1 << 20, inBulks: 1 << 15 } as const;

/** Where broadcasts take more rounds than they might, other numbers of pieces are tried, as parts of the usual one, up to so many pieces × ranks. */
const otherPieces = [0.8, 0.92, 1.08, 1.17, 1.25, 1.4];
const mostTried = 1 << 13;

export const rounds: Strategy = {
  name: 'rounds',
  unfit({ topology }) {
    const found = unitLinksOf(topology);
    return 'reason' in found ? found.reason : undefined;
  },
  leastLatency: () => 0,
  itemsPerShard(problem) {
    const links = linksOf(problem);
    if (problem.shares !== undefined) return partsOfUnit(links, problem.shares);
    return problem.kind === 'broadcast' ? piecesByTrial(links, problem) : partsOfShard(links, problem.effort);
  },
  search(spread, problem) {
    const moves = movesOf(linksOf(problem), spread, problem);
    if (moves === undefined) throw new Error(`rounds: not every rank of ${problem.topology.name} can be reached`);
    return moves;
  },
};

function movesOf(links: UnitLinks, spread: Spread, problem: SpreadProblem): Moves | undefined {
  const { size, seed, effort, shouldStop } = problem;
  const itemBytes = size / spread.origin.length;
  return fastestRounds(links, spread, { itemBytes, seed, effort, shouldStop });
}

function linksOf({ topology }: SpreadProblem): UnitLinks {
  const found = unitLinksOf(topology);
  if ('reason' in found) throw new Error(`rounds were asked for where ${found.reason}`);
  return found.links;
}

/** As many parts as fill the links of the narrowest rank exactly, or nearly so, where rounding up whole shards would cost too much. */
function partsOfShard(links: UnitLinks, effort: Effort): number {
  const breadth = leastBreadth(links);
  const others = links.ranks - 1;
  const exact = breadth / greatestCommonDivisor(others, breadth);
  const cost = (parts: number): number => (Math.ceil((others * parts) / breadth) * breadth) / (others * parts) - 1;
  if (cost(1) <= mostRounding[effort] || links.ranks ** 2 * exact > mostDeliveries) return 1;
  if (effort === 'full') return exact;
  let parts = 2;
  while (cost(parts) > mostRounding[effort]) parts++;
  return parts;
}

/**
 * Parts of the unit of shards that differ: as few as fill the links into every rank evenly enough.
 */
function partsOfUnit(links: UnitLinks, shares: readonly Root[]): number {
  const all = shares.reduce((sum, { share }) => sum + share, 0);
  const needs = Array.from({ length: links.ranks }, (_, rank) => {
    const own = shares.find((root) => root.rank === rank)?.share ?? 0;
    return { units: all - own, breadth: breadthOf(links, rank) };
  });
  const roundsFor = (parts: number): number =>
    Math.max(...needs.map(({ units, breadth }) => Math.ceil((units * parts) / breadth))) / parts;
  const exact = Math.max(...needs.map(({ units, breadth }) => units / breadth));
  let best = 1;
  for (let parts = 1; parts <= mostUnitParts && links.ranks * all * parts <= mostDeliveries; parts++) {
    if (roundsFor(parts) < roundsFor(best)) best = parts;
    if (roundsFor(best) <= exact * (1 + mostRounding.full)) break;
  }
  return best;
}

/**
 * C chunks over d links and e steps to the farthest rank take about (C/d + e − 1)(α + M/(Cβ)), which is least at
 * C = √((e − 1) · d · M/(αβ)); whole multiples of d fill the links.
 */
function piecesOfBroadcast(links: UnitLinks, { size, root, inBulks }: SpreadProblem): number {
  const { latency, bandwidth } = links;
  const breadth = leastBreadth(links, root);
  const steps = distancesFrom(links, root).reduce((most, distance) => Math.max(most, distance), 0);
  const wanted = latency === 0 ? mostItems : Math.sqrt(((steps - 1) * breadth * size) / (latency * bandwidth));
  const wished = inBulks ? Math.min(piecesInBulks * breadth, mostItems) : mostItems;
  const most = Math.min(wished, Math.floor(mostPieces[inBulks ? 'inBulks' : 'inOneBulk'] / links.ranks));
  const multiple = Math.max(1, Math.round(Math.min(wanted, most) / breadth));
  return multiple * breadth;
}

/**
 * As many pieces as above where these can be brought in as few rounds as there may be. Where links or ways are too uneven for that, some other
 * number may suit the machine better, which need not fill the links of its narrowest rank.
 */
function piecesByTrial(links: UnitLinks, problem: SpreadProblem): number {
  const usual = piecesOfBroadcast(links, problem);
  if (problem.effort === 'quick' || problem.inBulks || links.ranks * usual > mostTried) return usual;
  const first = movesOf(links, spreadOf(problem, usual), problem);
  if (first === undefined) return usual;
  const { rounds } = leastRoundsAndSteps(links, spreadOf(problem, usual));
  if (first.rounds.view().reduce((sum, count) => sum + count, 0) <= rounds) return usual;
  let best = usual;
  let bestTime = secondsOf(first, links, problem.size / usual);
  for (const part of otherPieces) {
    if (problem.shouldStop()) break;
    const pieces = Math.max(1, Math.round(usual * part));
    const moves = movesOf(links, spreadOf(problem, pieces), problem);
    const time = moves === undefined ? Number.POSITIVE_INFINITY : secondsOf(moves, links, problem.size / pieces);
    if (time < bestTime) [best, bestTime] = [pieces, time];
  }
  return best;
}
