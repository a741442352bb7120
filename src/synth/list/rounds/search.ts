/**
 * Allgather and broadcast in rounds (the k-synchronous model of Cai et al., "Synthesizing Optimal Collective Algorithms", PPoPP
 * 2021): in a step of r rounds every unit link carries r items, and what arrives can be passed on in the next step. Built
 * step by step; within a step the receivers do not depend on one another.
 */
import type { ShouldStop } from '../../../ir/effort.ts';
import { Random } from '../../../ir/random.ts';
import type { Bytes, Seconds } from '../../../ir/units.ts';
import { distancesFrom } from '../../distances.ts';
import { perOperation } from '../../limits.ts';
import { fastest } from '../attempts.ts';
import { bitCount, Holdings } from '../holdings.ts';
import type { SpreadProblem } from '../problem.ts';
import { Moves, type Spread } from '../spread.ts';
import { type Preference, Receiver } from './receiver.ts';
import { breadthOf, isMixed, neighboursOf, type UnitLinks } from './unit-links.ts';

/**
 * The rounds of a step, by what everyone has before it: Infinity for as many as pass on all that there is; undefined when there
 * shall be no further step.
 */
export type Pace = (step: number, links: UnitLinks, holdings: Holdings) => number | undefined;

const oneByOne: Pace = () => 1;
/** As few steps as the machine is wide. */
const allAtOnce: Pace = () => Number.POSITIVE_INFINITY;
/**
 * As many rounds as keep the links into the ranks that lack most busy for at least this share of the step: with 1 no round is
 * wasted on them, and messages are as long as that allows.
 */
function busyFor(share: number): Pace {
  return (_, links, holdings) => {
    const needs = holdings.lacking.map((items, rank) => Math.ceil(items / breadthOf(links, rank)));
    const greatest = Math.max(...needs);
    let rounds = greatest;
    for (const [rank, need] of needs.entries()) {
      if (need === greatest) rounds = busyRounds(rank, links, holdings, share, rounds);
    }
    return rounds;
  };
}

/** The most rounds, of at most so many and at least one, in which the links into a rank are busy for a share, if they do not compete for the same items. */
function busyRounds(rank: number, links: UnitLinks, { words, has }: Holdings, share: number, most: number): number {
  const [first, end] = [links.firstInto[rank], links.firstInto[rank + 1]];
  const overLink = new Int32Array(end - first);
  let together = 0;
  for (let word = 0; word < words; word++) {
    let any = 0;
    for (let link = first; link < end; link++) {
      const useful = has[links.from[link] * words + word] & ~has[rank * words + word];
      any |= useful;
      overLink[link - first] += bitCount(useful);
    }
    together += bitCount(any);
  }
  const broughtIn = (rounds: number): number =>
    overLink.reduce((sum, items, link) => sum + Math.min(items, rounds * links.units[first + link]), 0);
  let rounds = most;
  while (rounds > 1 && Math.min(together, broughtIn(rounds)) < share * rounds * breadthOf(links, rank)) rounds--;
  return rounds;
}

/** Tried in turn; the first is seldom beaten. */
const paces: readonly Pace[] = [busyFor(1), oneByOne, busyFor(0.75), busyFor(0.5), allAtOnce];

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
  const holdings = new Holdings(spread);
  const receiver = new Receiver(links, holdings, new Random(seed), prefers);
  const moves = new Moves(links.stated);
  let idle = 0;
  for (let step = 0; holdings.missing > 0; step++) {
    const most = pace(step, links, holdings);
    if (most === undefined || idle > links.ranks) return undefined;
    const first = moves.length;
    let rounds = most === Number.POSITIVE_INFINITY ? 0 : most;
    for (let rank = 0; rank < links.ranks; rank++) {
      if (holdings.lacking[rank] > 0) rounds = Math.max(rounds, receiver.receive(rank, most, moves));
    }
    for (let row = first; row < moves.length; row++) holdings.arrive(moves.to.at(row), moves.item.at(row));
    idle = moves.length === first ? idle + 1 : 0;
    moves.endStep(rounds);
    shouldStop?.((moves.length - first) / perOperation.items);
  }
  return moves;
}

/**
 * No schedule has fewer rounds, nor fewer steps: of what a rank lacks, the items that start h links away or farther come in
 * from round h on, as many in a round as its links carry.
 */
export function leastRoundsAndSteps(links: UnitLinks, { origin }: Spread): { rounds: number; steps: number } {
  const itemsAt = new Map<number, number>();
  for (const source of origin) itemsAt.set(source, (itemsAt.get(source) ?? 0) + 1);
  /** By rank and distance. */
  const starting: number[][] = Array.from({ length: links.ranks }, () => []);
  const outward = neighboursOf(links);
  for (const [source, items] of itemsAt) {
    for (const [rank, hops] of distancesFrom(source, links.ranks, (at) => outward[at]).entries()) {
      starting[rank][hops] = (starting[rank][hops] ?? 0) + items;
    }
  }
  let [rounds, steps] = [0, 0];
  for (const [rank, items] of starting.entries()) {
    const breadth = breadthOf(links, rank);
    let farther = 0;
    for (let hops = items.length - 1; hops > 0; hops--) {
      farther += items[hops] ?? 0;
      rounds = Math.max(rounds, hops - 1 + Math.ceil(farther / breadth));
    }
    steps = Math.max(steps, items.length - 1);
  }
  return { rounds, steps };
}

/** Seconds that the moves take if every step waits for the one before. */
export function secondsOf({ rounds }: Moves, { latency, bandwidth }: UnitLinks, itemBytes: Bytes): Seconds {
  return rounds.view().reduce((sum, count) => sum + latency + (count * itemBytes) / bandwidth, 0);
}

/**
 * The attempt that takes the least time.
 *
 * @returns undefined when some rank cannot get something
 */
export function fastestRounds(links: UnitLinks, spread: Spread, problem: SpreadProblem): Moves | undefined {
  const { size, seed, shouldStop } = problem;
  const itemBytes = size / spread.origin.length;
  const { rounds, steps } = leastRoundsAndSteps(links, spread);
  const least = steps * links.latency + (rounds * itemBytes) / links.bandwidth;
  // Where links differ, chips behind narrow ones had better not be brought the same items.
  const mixed = isMixed(links);
  const attempt = (number: number) => {
    const prefers = mixed && number % 2 === 1 ? 'unshared' : 'rare';
    const moves = attemptRounds(links, spread, paces[number % paces.length], seed + number, prefers, shouldStop);
    return moves && { moves, seconds: secondsOf(moves, links, itemBytes), work: moves.length / perOperation.items };
  };
  return fastest(attempt, least, problem)?.moves;
}
