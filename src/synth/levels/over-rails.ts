/**
 * Position p of every group takes a p-th of the work across: a *rail* (the p-th members of all groups) carries it, and all
 * rails work at once, so that every chip's link to other groups is used (BlueConnect: Cho et al., MLSys 2019). Members of
 * no rail (`rails.ts`) have an empty part in what their group divides among its carriers.
 */
import { type CollectiveKind, collectiveFacts } from '../../ir/collective.ts';
import {
  type Aim,
  areEqual,
  type Communicator,
  type Composition,
  type Groups,
  type Level,
  placeOf,
} from './composition.ts';
import { haveGuests, type Rails, railMembers } from './rails.ts';
import { shardsOverRails } from './shards-over-rails.ts';

/** The compositions of a collective over rails, the usual one first; none for kinds without shards or parts. */
export function overRails(kind: CollectiveKind, root: number, groups: Groups, rails: Rails): readonly Composition[] {
  const divided = haveGuests(rails) ? [...shardsOverRails(kind, rails), ...ofParts(kind, root, rails)] : [];
  const ofCarriers = divided.map((composition) => {
    return { ...composition, name: ['carriers', composition.name].filter((text) => text !== '').join(', ') };
  });
  if (!areEqual(groups)) return ofCarriers;
  // Where every guest has its match in every group, they can also be a rail of their own, whatever way that takes.
  const all = { groups, count: groups[0].length };
  return [...ofCarriers, ...ofShards(kind, root, all), ...ofParts(kind, root, all)];
}

/** Collectives with a shard for every rank, over groups of one size: a rail has those of its members. */
function ofShards(kind: CollectiveKind, root: number, rails: Rails): readonly Composition[] {
  const { groups } = rails;
  const sets = railMembers(rails);
  const byPosition = sets.flat();
  const byGroup = groups.flat();
  const own = rootsOwn(root, groups);
  const within = (only: Groups = groups): Level => levelWithin(kind, root, rails, byPosition, only);
  const across = (units: (rail: number) => readonly number[] = (rail) => sets[rail]): Level =>
    levelAcross(kind, root, rails, units);
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
      return composition(within(own), across());
    case 'gather':
      return composition(across(), within(own));
    default:
      return [];
  }
}

/** Collectives of one vector: it is divided among the rails. */
function ofParts(kind: CollectiveKind, root: number, rails: Rails): readonly Composition[] {
  const { groups, count } = rails;
  const parts = Array.from({ length: count }, (_, rail) => rail);
  const own = rootsOwn(root, groups);
  const others = groups.filter((group) => !own.includes(group));
  const within = (of: CollectiveKind, only: Groups = groups): Level => levelWithin(of, root, rails, parts, only);
  const across = (of: CollectiveKind): Level => levelAcross(of, root, rails, (rail) => [rail]);
  const composition = (aims: readonly Aim[], name: string, ...levels: Level[]): Composition => ({
    ...{ name, aims, units: count, levels },
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

/** The units are divided among the carriers, rail by rail; whoever is none has none of them. */
function levelWithin(
  kind: CollectiveKind,
  root: number,
  { count }: Rails,
  units: readonly number[],
  only: Groups,
): Level {
  const { rooted, sharded } = collectiveFacts[kind];
  const communicators = only.map((members): Communicator => {
    const shares = members.map((_, position) => (position < count ? units.length / count : 0));
    const counts = sharded && members.length > count ? shares : undefined;
    return { members, root: rooted ? members.indexOf(root) : 0, units, counts };
  });
  return { where: 'within', kind, communicators };
}

function levelAcross(
  kind: CollectiveKind,
  root: number,
  rails: Rails,
  units: (rail: number) => readonly number[],
): Level {
  const [group] = placeOf(root, rails.groups);
  const communicators = railMembers(rails).map((members, rail) => ({ members, root: group, units: units(rail) }));
  return { where: 'across', kind, communicators };
}
