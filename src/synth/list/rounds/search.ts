/**
 * Allgather and broadcast in rounds (the k-synchronous model of Cai et al., "Synthesizing Optimal Collective Algorithms", PPoPP
 * 2021): in a step of r rounds every unit link carries r items, and what arrives can be passed on in the next step. Built
 * step by step; within a step the receivers do not depend on one another.
 */
import type { ShouldStop } from '../../../ir/effort.ts';
import { Random } from '../../../ir/random.ts';
import type { Bytes, Seconds } from '../../../ir/units.ts';
import { perOperation } from '../../limits.ts';
import { fastest } from '../attempts.ts';
import { leastTime } from '../events/least-time.ts';
import { bitCount, Holdings } from '../holdings.ts';
import type { SpreadProblem } from '../problem.ts';
import { Moves, type Spread } from '../spread.ts';
import { Receiver } from './receiver.ts';
import { breadthOf, type UnitLinks } from './unit-links.ts';

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
  shouldStop?: ShouldStop,
): Moves | undefined {
  const holdings = new Holdings(spread);
  const receiver = new Receiver(links, holdings, new Random(seed));
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
  const attempt = (number: number) => {
    const moves = attemptRounds(links, spread, paces[number % paces.length], seed + number, shouldStop);
    return moves && { moves, seconds: secondsOf(moves, links, itemBytes), work: moves.length / perOperation.items };
  };
  return fastest(attempt, leastTime(spread, problem), problem)?.moves;
}
