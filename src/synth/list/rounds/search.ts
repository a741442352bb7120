/**
 * Allgather and broadcast in rounds (the k-synchronous model of Cai et al., "Synthesizing Optimal Collective Algorithms", PPoPP
 * 2021): in a step of r rounds every unit link carries r items, and what arrives can be passed on in the next step. Built
 * step by step; within a step the receivers do not depend on one another.
 */
import { Random } from '../../../ir/random.ts';
import { Moves, type Spread } from '../spread.ts';
import { type Holdings, Receiver } from './receiver.ts';
import type { UnitLinks } from './unit-links.ts';

/**
 * One attempt.
 *
 * @param split the rounds of each step; undefined for steps of one round until everyone has everything
 * @returns the moves; undefined when something is missing after the last step, or when nothing can be brought any more
 */
export function attemptRounds(
  links: UnitLinks,
  spread: Spread,
  split: readonly number[] | undefined,
  seed: number,
): Moves | undefined {
  const holdings = holdingsAtStart(spread);
  const receiver = new Receiver(holdings, new Random(seed));
  const moves = new Moves();
  const lacking = new Int32Array(links.ranks).fill(spread.origin.length);
  for (const rank of spread.origin) lacking[rank]--;
  let missing = lacking.reduce((sum, count) => sum + count, 0);
  for (let step = 0; missing > 0; step++) {
    const rounds = split === undefined ? 1 : split[step];
    if (rounds === undefined) return undefined;
    const first = moves.length;
    for (let rank = 0; rank < links.ranks; rank++) {
      if (lacking[rank] === 0) continue;
      const sources = links.from.subarray(links.firstInto[rank], links.firstInto[rank + 1]);
      const capacities = links.units.subarray(links.firstInto[rank], links.firstInto[rank + 1]).map((u) => u * rounds);
      receiver.receive(rank, sources, capacities, (link, item) => moves.add(sources[link], rank, item));
    }
    if (moves.length === first && split === undefined) return undefined;
    for (let row = first; row < moves.length; row++) {
      const [rank, item] = [moves.to.at(row), moves.item.at(row)];
      holdings.bits[rank * holdings.words + (item >> 5)] |= 1 << (item & 31);
      lacking[rank]--;
    }
    missing -= moves.length - first;
    moves.endStep(rounds);
  }
  return moves;
}

function holdingsAtStart({ ranks, origin }: Spread): Holdings {
  const words = (origin.length + 31) >> 5;
  const bits = new Uint32Array(ranks * words);
  origin.forEach((rank, item) => {
    bits[rank * words + (item >> 5)] |= 1 << (item & 31);
  });
  return { words, bits, holders: new Int32Array(origin.length).fill(1) };
}

/** Units of links into a rank. */
function breadthOf({ units, firstInto }: UnitLinks, rank: number): number {
  return units.subarray(firstInto[rank], firstInto[rank + 1]).reduce((sum, u) => sum + u, 0);
}

/** Units of links into the rank that has the fewest. */
export function leastBreadth(links: UnitLinks): number {
  let least = Number.POSITIVE_INFINITY;
  for (let rank = 0; rank < links.ranks; rank++) least = Math.min(least, breadthOf(links, rank));
  return least;
}

/**
 * No schedule has fewer rounds than this: of what a rank lacks, the items that start h links away or farther come in from
 * round h on, as many in a round as its links carry.
 */
export function leastRounds(links: UnitLinks, { origin }: Spread): number {
  let most = 0;
  for (let rank = 0; rank < links.ranks; rank++) {
    const distance = distancesTo(links, rank);
    const starting = new Int32Array(links.ranks);
    for (const source of origin) starting[distance[source]]++;
    const breadth = breadthOf(links, rank);
    for (let hops = links.ranks - 1, farther = 0; hops > 0; hops--) {
      farther += starting[hops];
      if (farther > 0) most = Math.max(most, hops - 1 + Math.ceil(farther / breadth));
    }
  }
  return most;
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

/** Items that are brought while attempts are made: the work that a search may do. */
const effort = 200_000;
const mostAttempts = 32;

/**
 * The attempt with the fewest steps of one round; attempts end when they cannot get better, or when they have done enough work.
 * @returns undefined when some rank cannot get something
 */
export function fewestRounds(
  links: UnitLinks,
  spread: Spread,
  seed: number,
  shouldStop: () => boolean,
): Moves | undefined {
  const least = leastRounds(links, spread);
  let best: Moves | undefined;
  for (let attempt = 0, brought = 0; attempt < mostAttempts; attempt++) {
    if (attempt > 0 && (brought > effort || shouldStop())) break;
    const moves = attemptRounds(links, spread, undefined, seed + attempt);
    if (moves === undefined) return undefined;
    if (best === undefined || moves.steps < best.steps) best = moves;
    if (best.steps <= least) break;
    brought += moves.length;
  }
  return best;
}
