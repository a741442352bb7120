/**
 * Position p of every group takes a p-th of the work across: a *rail* (the p-th members of all groups) carries it, and all
 * rails work at once, so that every chip's link to other groups is used (BlueConnect: Cho et al., MLSys 2019).
 */
import type { CollectiveKind } from '../../ir/collective.ts';
import { type Aim, type Composition, type Groups, type Level, placeOf, railsOf } from './levels.ts';

/** The compositions of a collective over groups of equal size, the usual one first; none for kinds without shards or parts. */
export function overRails(kind: CollectiveKind, root: number, groups: Groups): readonly Composition[] {
  return [...ofShards(kind, root, groups), ...ofParts(kind, root, groups)];
}

/** Collectives with a shard for every rank: a rail has those of its members. */
function ofShards(kind: CollectiveKind, root: number, groups: Groups): readonly Composition[] {
  const rails = railsOf(groups);
  const byPosition = rails.flat();
  const byGroup = groups.flat();
  const within = (only: Groups = groups): Level => levelWithin(kind, root, groups, byPosition, only);
  const across = (units: (rail: number) => readonly number[] = (rail) => rails[rail]): Level =>
    levelAcross(kind, root, groups, units);
  const composition = (...levels: Level[]): Composition[] => [
    { name: '', aims: ['throughput', 'size'], units: byGroup.length, levels },
  ];
  switch (kind) {
    case 'allgather':
      return composition(across(), within());
    case 'reducescatter':
      return composition(within(), across());
    case 'alltoall':
      return composition(
        within(),
        across(() => byGroup),
      );
    case 'scatter':
      return composition(within(rootsOwn(root, groups)), across());
    case 'gather':
      return composition(across(), within(rootsOwn(root, groups)));
    default:
      return [];
  }
}

/** Collectives of one vector: it is divided among the rails. */
function ofParts(kind: CollectiveKind, root: number, groups: Groups): readonly Composition[] {
  const parts = groups[0].map((_, rail) => rail);
  const own = rootsOwn(root, groups);
  const others = groups.filter((group) => !own.includes(group));
  const within = (of: CollectiveKind, only: Groups = groups): Level => levelWithin(of, root, groups, parts, only);
  const across = (of: CollectiveKind): Level => levelAcross(of, root, groups, (rail) => [rail]);
  const composition = (aims: readonly Aim[], name: string, ...levels: Level[]): Composition => ({
    ...{ name, aims, units: parts.length, levels },
  });
  // The root's link would carry the message twice, in parts and then all of them: `whole` spares it that.
  const whole = 'whole at the root';
  switch (kind) {
    case 'broadcast':
      return [
        composition(['throughput', 'size'], '', within('scatter', own), across('broadcast'), within('allgather')),
        composition(['throughput'], whole, within('broadcast', own), across('broadcast'), within('allgather', others)),
      ];
    case 'reduce':
      return [
        composition(['throughput', 'size'], '', within('reducescatter'), across('reduce'), within('gather', own)),
        composition(['throughput'], whole, within('reducescatter', others), across('reduce'), within('reduce', own)),
      ];
    case 'allreduce': {
      const [first, last] = [within('reducescatter'), within('allgather')];
      return [
        composition(['throughput'], '', first, across('reducescatter'), across('allgather'), last),
        composition(['size'], '', first, across('allreduce'), last),
      ];
    }
    default:
      return [];
  }
}

function rootsOwn(root: number, groups: Groups): Groups {
  return groups.filter((group) => group.includes(root));
}

function levelWithin(
  kind: CollectiveKind,
  root: number,
  groups: Groups,
  units: readonly number[],
  only: Groups,
): Level {
  const [, position] = placeOf(root, groups);
  return { where: 'within', kind, communicators: only.map((members) => ({ members, root: position, units })) };
}

function levelAcross(
  kind: CollectiveKind,
  root: number,
  groups: Groups,
  units: (rail: number) => readonly number[],
): Level {
  const [group] = placeOf(root, groups);
  const communicators = railsOf(groups).map((members, rail) => ({ members, root: group, units: units(rail) }));
  return { where: 'across', kind, communicators };
}
