/**
 * Allgather and reducescatter over groups that are not alike: what the members of a group have is divided evenly among the
 * rails, whoever it belongs to. That needs one level more: the group's own shards go round within it, which they would in any case.
 */
import type { CollectiveKind } from '../../ir/collective.ts';
import type { Communicator, Composition, Level } from './composition.ts';
import { type Rails, railMembers } from './rails.ts';

/** The composition of an allgather or a reducescatter; none for other kinds. */
export function shardsOverRails(kind: CollectiveKind, rails: Rails): readonly Composition[] {
  if (kind !== 'allgather' && kind !== 'reducescatter') return [];
  const { groups, count } = rails;
  const unitsOf = (rank: number): number[] => Array.from({ length: count }, (_, part) => rank * count + part);
  // In the order of ranks, so that what a rail has is in as few pieces as may be.
  const ofGroup = groups.map((members) => [...members].sort((a, b) => a - b).flatMap(unitsOf));
  const ofRail = (rail: number, group: number): number[] => {
    const { length } = groups[group];
    return ofGroup[group].slice(rail * length, (rail + 1) * length);
  };
  const own: Level = {
    ...{ where: 'within', kind },
    communicators: groups.map((members) => ({ members, root: 0, units: members.flatMap(unitsOf) })),
  };
  const across: Level = {
    ...{ where: 'across', kind },
    communicators: railMembers(rails).map((members, rail): Communicator => {
      const shards = groups.map((_, group) => ofRail(rail, group));
      return { members, root: 0, units: shards.flat(), counts: countsOf(shards) };
    }),
  };
  const foreign: Level = {
    ...{ where: 'within', kind },
    communicators: groups.map((members, group): Communicator => {
      const shards = members.map((_, position) =>
        position < count ? groups.flatMap((_, other) => (other === group ? [] : ofRail(position, other))) : [],
      );
      return { members, root: 0, units: shards.flat(), counts: countsOf(shards) };
    }),
  };
  const levels = [own, across, foreign];
  const units = groups.flat().length * count;
  return [{ name: '', aims: ['throughput', 'size'], units, levels: kind === 'allgather' ? levels : levels.reverse() }];
}

/** Undefined where all have the same. */
function countsOf(shards: readonly (readonly number[])[]): readonly number[] | undefined {
  const counts = shards.map(({ length }) => length);
  return counts.every((count) => count === counts[0]) ? undefined : counts;
}
