/**
 * Few messages: one rank of every group talks to the other groups. For groups of different sizes, and others that have no rails.
 * The leader of a group is the member at the root's position, or the first where there is none.
 */
import type { CollectiveKind } from '../../ir/collective.ts';
import { areEqual, type Composition, type Groups, type Level, placeOf } from './composition.ts';

/** The compositions of a collective that there are for groups of these sizes; none for those in which everybody has something else for everybody. */
export function overLeaders(kind: CollectiveKind, root: number, groups: Groups): readonly Composition[] {
  const [rootGroup, rootPosition] = placeOf(root, groups);
  const leads = groups.map(({ length }) => (rootPosition < length ? rootPosition : 0));
  const leaders = groups.map((group, g) => group[leads[g]]);
  const within = (of: CollectiveKind, units: (group: readonly number[]) => readonly number[]): Level => ({
    ...{ where: 'within', kind: of },
    communicators: groups.map((members, g) => ({ members, root: leads[g], units: units(members) })),
  });
  const across = (of: CollectiveKind, units: readonly number[]): Level => ({
    ...{ where: 'across', kind: of },
    communicators: [{ members: leaders, root: rootGroup, units }],
  });
  const composition = (units: number, ...levels: Level[]): Composition[] => [
    { name: 'leaders', aims: ['size'], units, levels },
  ];
  const vector = [0];
  const shards = groups.flat();
  switch (kind) {
    case 'broadcast':
      return composition(
        1,
        across('broadcast', vector),
        within('broadcast', () => vector),
      );
    case 'reduce':
      return composition(
        1,
        within('reduce', () => vector),
        across('reduce', vector),
      );
    case 'allreduce':
      return composition(
        1,
        within('reduce', () => vector),
        across('allreduce', vector),
        within('broadcast', () => vector),
      );
    case 'scatter':
      if (!areEqual(groups)) return [];
      return composition(
        shards.length,
        across('scatter', shards),
        within('scatter', (group) => group),
      );
    case 'gather':
      if (!areEqual(groups)) return [];
      return composition(
        shards.length,
        within('gather', (group) => group),
        across('gather', shards),
      );
    default:
      return [];
  }
}
