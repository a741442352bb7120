/**
 * Allgather and broadcast in rounds (the k-synchronous model of Cai et al., "Synthesizing Optimal Collective Algorithms", PPoPP
 * 2021): in a step of r rounds every unit link carries r items, and what arrives can be passed on in the next step. Built
 * step by step; within a step the receivers do not depend on one another.
 */
import type { Effort, ShouldStop } from '../../../ir/effort.ts';
import { Random } from '../../../ir/random.ts';
import { perOperation } from '../../limits.ts';
import { Moves, type Spread } from '../spread.ts';
import { type Preference, Receiver } from './receiver.ts';
import { busyFor, oneByOne, type Pace, type Standing, standingAtStart } from './standing.ts';
import { breadthOf, distancesFrom, isMixed, type UnitLinks } from './unit-links.ts';

/**
 * One attempt.
 *
 * @param shouldStop told of the work; what it answers is for whoever would make another attempt
 * @returns the moves; undefined when something is missing after the last step, or when nothing can be brought any more
 */
export function attemptRounds(
  links: UnitLinks,
  spread: Spread,
  pace: Pace,
  seed: number,
  prefers: Preference = 'rare',
  shouldStop?: ShouldStop,
): Moves | undefined {
  const standing = standingAtStart(links, spread);
  const { holdings, lacking } = standing;
  const receiver = new Receiver(holdings, new Random(seed), prefers);
  const moves = new Moves(links.stated);
  let missing = lacking.reduce((sum, count) => sum + count, 0);
  let idle = 0;
  for (let step = 0; missing > 0; step++) {
    const rounds = pace(step, standing);
    if (rounds === undefined || idle > links.ranks) return undefined;
    const first = moves.length;
    for (let rank = 0; rank < links.ranks; rank++) {
      if (lacking[rank] === 0) continue;
      const [begin, end] = [links.firstInto[rank], links.firstInto[rank + 1]];
      receiver.receive(rank, links.from.subarray(begin, end), links.units.subarray(begin, end), rounds, moves);
    }
    arrive(moves, first, standing);
    idle = moves.length === first ? idle + 1 : 0;
    missing -= moves.length - first;
    moves.endStep(rounds);
    shouldStop?.((moves.length - first) / perOperation.items);
  }
  return moves;
}

/** What has been sent, from a row on, is there. */
function arrive(moves: Moves, first: number, { holdings, lacking }: Standing): void {
  const { words, bits } = holdings;
  for (let row = first; row < moves.length; row++) {
    const [rank, item] = [moves.to.at(row), moves.item.at(row)];
    bits[rank * words + (item >> 5)] |= 1 << (item & 31);
    lacking[rank]--;
  }
}

/**
 * No schedule has fewer rounds, nor fewer steps: of what a rank lacks, the items that start h links away or farther come in
 * from round h on, as many in a round as its links carry.
 */
export function leastRoundsAndSteps(links: UnitLinks, { origin }: Spread): { rounds: number; steps: number } {
  const [first] = origin;
  if (origin.every((source) => source === first)) return leastFromOne(links, first, origin.length);
  let most = 0;
  let farthest = 0;
  for (let rank = 0; rank < links.ranks; rank++) {
    const distance = distancesTo(links, rank);
    const starting = new Int32Array(links.ranks);
    for (const source of origin) starting[distance[source]]++;
    const breadth = breadthOf(links, rank);
    for (let hops = links.ranks - 1, farther = 0; hops > 0; hops--) {
      farther += starting[hops];
      if (farther > 0) farthest = Math.max(farthest, hops);
      if (farther > 0) most = Math.max(most, hops - 1 + Math.ceil(farther / breadth));
    }
  }
  return { rounds: most, steps: farthest };
}

/** The same where all items start at one rank: distances from there are all that is needed. */
function leastFromOne(links: UnitLinks, source: number, items: number): { rounds: number; steps: number } {
  let rounds = 0;
  let steps = 0;
  for (const [rank, hops] of distancesFrom(links, source).entries()) {
    if (rank === source) continue;
    steps = Math.max(steps, hops);
    rounds = Math.max(rounds, hops - 1 + Math.ceil(items / breadthOf(links, rank)));
  }
  return { rounds, steps };
}

/** Links on the shortest way from each rank to one of them; every rank reaches it. */
function distancesTo({ ranks, firstInto, from }: UnitLinks, rank: number): Int32Array {
  const distance = new Int32Array(ranks).fill(-1);
  distance[rank] = 0;
  const queue = [rank];
  for (const to of queue) {
    for (let link = firstInto[to]; link < firstInto[to + 1]; link++) {
      if (distance[from[link]] >= 0) continue;
      distance[from[link]] = distance[to] + 1;
      queue.push(from[link]);
    }
  }
  return distance;
}

/** Seconds that the moves take if every step waits for the one before. */
export function secondsOf({ rounds }: Moves, { latency, bandwidth }: UnitLinks, itemBytes: number): number {
  return rounds.view().reduce((sum, count) => sum + latency + (count * itemBytes) / bandwidth, 0);
}

/** Items that are brought while attempts are made: the work that a search may do. */
const mostItems = { quick: 30_000, full: 100_000 } as const;
const mostAttempts = 24;
/** Tried in turn; the first is seldom beaten. */
const paces: readonly Pace[] = [busyFor(1), oneByOne, busyFor(0.75), busyFor(0.5), busyFor(0)];

/** What a search for the fastest attempt is to know beside the machine and the items. */
export interface Wanted {
  readonly itemBytes: number;
  readonly seed: number;
  readonly effort: Effort;
  readonly shouldStop: ShouldStop;
}

/**
 * The attempt that takes the least time, for items of so many bytes; attempts end when they cannot get better, or when they
 * have done enough work.
 * @returns undefined when some rank cannot get something
 */
export function fastestRounds(links: UnitLinks, spread: Spread, wanted: Wanted): Moves | undefined {
  const { itemBytes, seed, shouldStop } = wanted;
  const { rounds, steps } = leastRoundsAndSteps(links, spread);
  const least = steps * links.latency + (rounds * itemBytes) / links.bandwidth;
  // Where links differ, chips behind narrow ones had better not be brought the same items.
  const mixed = isMixed(links);
  let best: Moves | undefined;
  let bestTime = Number.POSITIVE_INFINITY;
  let isOver = false;
  for (let attempt = 0, brought = 0; attempt < mostAttempts; attempt++) {
    if (attempt > 0 && (brought > mostItems[wanted.effort] || isOver)) break;
    const prefers = mixed && attempt % 2 === 1 ? 'unshared' : 'rare';
    const moves = attemptRounds(links, spread, paces[attempt % paces.length], seed + attempt, prefers, shouldStop);
    isOver = shouldStop();
    if (moves === undefined) continue;
    const time = secondsOf(moves, links, itemBytes);
    if (time < bestTime) [best, bestTime] = [moves, time];
    if (bestTime <= least * (1 + 1e-9)) break;
    brought += moves.length;
  }
  return best;
}
