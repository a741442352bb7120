/** How many rounds the next step of a search has. */
import { bitCount } from '../bits.ts';
import type { Holdings } from '../holdings.ts';
import { breadthOf, type UnitLinks } from './unit-links.ts';

/** The rounds of a step, by what everyone has before it; undefined when there shall be no further step. */
export type Pace = (step: number, links: UnitLinks, holdings: Holdings) => number | undefined;

/** The steps of a split, (C, S, R) with R = Σ split and S its length. */
export function inSplit(split: readonly number[]): Pace {
  return (step) => split[step];
}

/** One round in every step. */
export const oneByOne: Pace = () => 1;

/**
 * As many rounds as keep the links into the ranks that lack most busy for at least this share of the step: with 1 no round is
 * wasted on them, and messages get as long as that allows; with 0 every step passes on all that there is, so that there are
 * as few steps as the machine is wide.
 */
export function busyFor(share: number): Pace {
  return (_, links, holdings) => {
    const needs = holdings.lacking.map((count, rank) => Math.ceil(count / breadthOf(links, rank)));
    const greatest = Math.max(...needs);
    let rounds = share === 0 ? 1 : greatest;
    for (let rank = 0; rank < links.ranks; rank++) {
      if (needs[rank] === 0) continue;
      if (share === 0) rounds = Math.max(rounds, roundsFor(availableTo(rank, links, holdings)));
      else if (needs[rank] === greatest)
        rounds = Math.min(rounds, busyRounds(availableTo(rank, links, holdings), share, rounds));
    }
    return rounds;
  };
}

/** What one rank could be brought: over each link, over no other link than that, and over all of them together. */
interface Available {
  readonly overLink: Int32Array;
  readonly overNoOther: Int32Array;
  readonly units: Int32Array;
  readonly together: number;
}

function availableTo(rank: number, links: UnitLinks, { words, has }: Holdings): Available {
  const [first, end] = [links.firstInto[rank], links.firstInto[rank + 1]];
  const overLink = new Int32Array(end - first);
  const overNoOther = new Int32Array(end - first);
  let together = 0;
  for (let word = 0; word < words; word++) {
    const lacks = ~has[rank * words + word];
    let any = 0;
    let several = 0;
    for (let link = first; link < end; link++) {
      const useful = has[links.from[link] * words + word] & lacks;
      overLink[link - first] += bitCount(useful);
      several |= any & useful;
      any |= useful;
    }
    for (let link = first; link < end; link++) {
      overNoOther[link - first] += bitCount(has[links.from[link] * words + word] & lacks & ~several);
    }
    together += bitCount(any);
  }
  return { overLink, overNoOther, units: links.units.subarray(first, end), together };
}

/** Items that can be brought in so many rounds, if links do not compete for the same ones. */
function broughtIn(rounds: number, { overLink, units, together }: Available): number {
  const most = overLink.reduce((sum, items, link) => sum + Math.min(items, rounds * units[link]), 0);
  return Math.min(most, together);
}

/** The fewest rounds that bring all there is, if links compete only for what several of them could bring. */
function roundsFor(available: Available): number {
  const { overNoOther, units } = available;
  let rounds = overNoOther.reduce((most, items, link) => Math.max(most, Math.ceil(items / units[link])), 1);
  while (broughtIn(rounds, available) < available.together) rounds++;
  return rounds;
}

/** The most rounds, of at most so many and at least one, in which the links are busy for a share of the time. */
function busyRounds(available: Available, share: number, most: number): number {
  const breadth = available.units.reduce((sum, u) => sum + u, 0);
  let rounds = most;
  while (rounds > 1 && broughtIn(rounds, available) < share * rounds * breadth) rounds--;
  return rounds;
}
