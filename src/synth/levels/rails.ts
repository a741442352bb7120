/**
 * Rails: sets of ranks, one of each group, over which groups talk to each other side by side. Where groups differ in size, or a chip has no way out of its
 * group any more but over another one, there are as many rails as the poorest group has carriers; the other members are guests, who hand
 * over to carriers what is to leave the group and get from them what enters it.
 */
import type { Routes } from '../../ir/routes.ts';
import { areEqual, type Groups } from './composition.ts';

/** Groups with their carriers first: the first `count` members of each, in the order of the rails. */
export interface Rails {
  readonly groups: Groups;
  readonly count: number;
}

/**
 * The most rails there are: all members are carriers where groups have one size and nothing is known to be lost. Positions of
 * groups of one size stay together.
 */
export function railsThrough(groups: Groups, routes: Routes): Rails {
  let carriers = groups.map((_, g) => carriersOf(g, groups, routes));
  if (areEqual(groups)) {
    const at = groups[0].map((_, position) => groups.every((members, g) => carriers[g].includes(members[position])));
    carriers = groups.map((members) => members.filter((_, position) => at[position]));
  }
  const count = Math.min(...carriers.map(({ length }) => length));
  if (count === 0) return { groups, count: Math.min(...groups.map(({ length }) => length)) };
  return {
    groups: groups.map((members, g) => {
      const chosen = carriers[g].slice(0, count);
      return [...chosen, ...members.filter((rank) => !chosen.includes(rank))];
    }),
    count,
  };
}

/** `railMembers(rails)[p][g]` is the carrier of rail p in group g. */
export function railMembers({ groups, count }: Rails): Groups {
  return Array.from({ length: count }, (_, rail) => groups.map((members) => members[rail]));
}

/** Whether some members are no carriers. */
export function haveGuests({ groups, count }: Rails): boolean {
  return groups.some(({ length }) => length > count);
}

/** Members who reach somebody in the next group, and are reached from there, over none of their own group. */
function carriersOf(group: number, groups: Groups, routes: Routes): readonly number[] {
  const members = groups[group];
  const next = groups[(group + 1) % groups.length];
  const { links, chips } = routes.topology;
  const own = new Set(members.map((rank) => chips[rank]));
  const leaves = (from: number, to: number): boolean =>
    routes.between(from, to)?.links.every((link, hop) => hop === 0 || !own.has(links[link].from)) === true;
  const enters = (from: number, to: number): boolean =>
    routes.between(from, to)?.links.every((link, hop, { length }) => hop === length - 1 || !own.has(links[link].to)) ===
    true;
  return members.filter((rank) => next.some((other) => leaves(rank, other) && enters(other, rank)));
}
