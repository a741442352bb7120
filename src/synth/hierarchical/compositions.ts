/**
 * How a collective over groups is composed of collectives within and across them: the levels, one after the other, each
 * of many communicators side by side. What each moves is said in units of the message, so that no level needs to know the
 * chunks of another.
 *
 * The usual composition gives position p of every group a p-th of the work across: a *rail* (p-th members of all groups) carries it, and
 * all rails work at once (Cho et al., "BlueConnect", 2019; NVIDIA calls it rail-optimised). The leader's composition sends
 * over one rail only: less to do in small messages, and the only one for groups of different sizes.
 */
import type { CollectiveKind } from '../../ir/collective.ts';

/** Ranks that run a collective among themselves. */
export interface Communicator {
  readonly members: readonly number[];
  /** Index of its root among the members; 0 where the collective has none. */
  readonly root: number;
  /** The units of the message that it works on, in the order of its own data: shard s of n is the s-th n-th of them. */
  readonly units: readonly number[];
}

/** Collectives of one kind, side by side. */
export interface Level {
  readonly where: 'within' | 'across';
  readonly kind: CollectiveKind;
  readonly communicators: readonly Communicator[];
}

export interface Composition {
  /** For names of candidates: empty for the usual one. */
  readonly name: string;
  /** Equal parts that the message is divided into: its N shards, or as many as there are rails. */
  readonly units: number;
  readonly levels: readonly Level[];
  /** For which its levels' algorithms are chosen: what sends more than it must is of no use where throughput counts. */
  readonly aims: readonly Aim[];
}

/** For which an algorithm is chosen: the message as it is, or a long one in many bulks. */
export type Aim = 'throughput' | 'size';

type Groups = readonly (readonly number[])[];

/** The compositions of a collective, the usual one first; none where groups of these sizes cannot be composed. */
export function compositionsOf(kind: CollectiveKind, root: number, groups: Groups): readonly Composition[] {
  const equal = groups.every(({ length }) => length === groups[0].length);
  return [...(equal ? overRails(kind, root, groups) : []), ...overLeaders(kind, root, groups)];
}

/** Members that do not stand at the same position of every group leave no rails. */
function overRails(kind: CollectiveKind, root: number, groups: Groups): readonly Composition[] {
  const positions = groups[0].map((_, position) => position);
  const [rootGroup, rootPosition] = placeOf(root, groups);
  const rail = (position: number): number[] => groups.map((group) => group[position]);
  const shardsByPosition = positions.flatMap(rail);
  const shardsByGroup = groups.flat();

  const within = (kind: CollectiveKind, units: readonly number[], only: Groups = groups): Level => ({
    where: 'within',
    kind,
    communicators: only.map((members) => ({ members, root: rootPosition, units })),
  });
  const across = (kind: CollectiveKind, units: (position: number) => readonly number[]): Level => ({
    where: 'across',
    kind,
    communicators: positions.map((position) => ({ members: rail(position), root: rootGroup, units: units(position) })),
  });
  const usual = (units: number, ...levels: Level[]): Composition => ({
    name: '',
    units,
    levels,
    aims: ['throughput', 'size'],
  });
  const ofShards = (...levels: Level[]): Composition => usual(shardsByGroup.length, ...levels);
  const ofParts = (...levels: Level[]): Composition => usual(positions.length, ...levels);
  // The root would send its group the message twice, in parts and then all of them: here the group gets it whole.
  const wholeAtRoot = (...levels: Level[]): Composition => ({
    name: 'whole at the root',
    units: positions.length,
    levels,
    aims: ['throughput'],
  });
  const rootsOwn: Groups = [groups[rootGroup]];
  const others: Groups = groups.filter((_, group) => group !== rootGroup);
  const part = (position: number): number[] => [position];

  switch (kind) {
    case 'allgather':
      return [ofShards(across('allgather', rail), within('allgather', shardsByPosition))];
    case 'reducescatter':
      return [ofShards(within('reducescatter', shardsByPosition), across('reducescatter', rail))];
    case 'alltoall':
      return [
        ofShards(
          within('alltoall', shardsByPosition),
          across('alltoall', () => shardsByGroup),
        ),
      ];
    case 'scatter':
      return [ofShards(within('scatter', shardsByPosition, rootsOwn), across('scatter', rail))];
    case 'gather':
      return [ofShards(across('gather', rail), within('gather', shardsByPosition, rootsOwn))];
    case 'broadcast':
      return [
        ofParts(within('scatter', positions, rootsOwn), across('broadcast', part), within('allgather', positions)),
        wholeAtRoot(
          within('broadcast', positions, rootsOwn),
          across('broadcast', part),
          within('allgather', positions, others),
        ),
      ];
    case 'reduce':
      return [
        ofParts(within('reducescatter', positions), across('reduce', part), within('gather', positions, rootsOwn)),
        wholeAtRoot(
          within('reducescatter', positions, others),
          across('reduce', part),
          within('reduce', positions, rootsOwn),
        ),
      ];
    case 'allreduce':
      return [
        ofParts(within('reducescatter', positions), across('allreduce', part), within('allgather', positions)),
        {
          name: 'whole vectors',
          units: 1,
          levels: [within('allreduce', [0]), across('allreduce', () => [0])],
          aims: ['size'],
        },
      ];
    default:
      return [];
  }
}

/** Only the root, and in other groups the member at its position (or the first), talk to other groups. */
function overLeaders(kind: CollectiveKind, root: number, groups: Groups): readonly Composition[] {
  const [rootGroup, rootPosition] = placeOf(root, groups);
  const leads = groups.map(({ length }) => (rootPosition < length ? rootPosition : 0));
  const leaders = groups.map((group, g) => group[leads[g]]);

  const within = (kind: CollectiveKind, units: (group: readonly number[]) => readonly number[]): Level => ({
    where: 'within',
    kind,
    communicators: groups.map((members, g) => ({ members, root: leads[g], units: units(members) })),
  });
  const across = (kind: CollectiveKind, units: readonly number[]): Level => ({
    where: 'across',
    kind,
    communicators: [{ members: leaders, root: rootGroup, units }],
  });
  const composition = (units: number, ...levels: Level[]): Composition[] => [
    { name: 'leaders', units, levels, aims: ['size'] },
  ];
  const whole = [0];
  const shards = groups.flat();
  const equal = groups.every(({ length }) => length === groups[0].length);

  switch (kind) {
    case 'broadcast':
      return composition(
        1,
        across('broadcast', whole),
        within('broadcast', () => whole),
      );
    case 'reduce':
      return composition(
        1,
        within('reduce', () => whole),
        across('reduce', whole),
      );
    case 'allreduce':
      return composition(
        1,
        within('reduce', () => whole),
        across('allreduce', whole),
        within('broadcast', () => whole),
      );
    case 'scatter':
      return equal
        ? composition(
            shards.length,
            across('scatter', shards),
            within('scatter', (group) => group),
          )
        : [];
    case 'gather':
      return equal
        ? composition(
            shards.length,
            within('gather', (group) => group),
            across('gather', shards),
          )
        : [];
    default:
      return [];
  }
}

/** Group and position of a rank. */
function placeOf(rank: number, groups: Groups): readonly [group: number, position: number] {
  const group = groups.findIndex((members) => members.includes(rank));
  return [group, groups[group].indexOf(rank)];
}
