/** What is moved over which network in how many rounds, whatever is made of it. */
import { type Collective, type CollectiveKind, collectiveFacts } from '../../ir/collective.ts';
import type { Bytes } from '../../ir/units.ts';
import type { MovingKind } from '../derive.ts';
import type { RoundsNetwork, UnitLoad } from './network.ts';

/** Data that takes one or several columns. */
export interface Commodity {
  /** Where it is at the start; undefined for what all ranks have a part of, which may come together anywhere. */
  readonly source: number | undefined;
  /** Ranks that want it. */
  readonly targets: readonly number[];
  readonly bytes: Bytes;
}

/** A way of a network in a round, as one number: round · (number of ways) + way. */
export type Hop = number;

/** One way for a commodity to get to all its targets. */
export interface TreeColumn {
  /** Index of the commodity. */
  readonly commodity: number;
  /** Ascending, each at most once. */
  readonly hops: readonly Hop[];
  /** Hops of rounds before this one bring parts together (all of a reduction's, which are turned round in the end); the others spread copies. */
  readonly turn: number;
}

export interface Demands {
  readonly commodities: readonly Commodity[];
  readonly reduces: boolean;
  /** What is moved, on the machine with its links turned round, for the schedule to be turned round afterwards. */
  readonly reversed: MovingKind | undefined;
}

export interface RoundsProblem extends Demands {
  readonly network: RoundsNetwork;
  readonly rounds: number;
}

/** What a byte takes of the resources of its round on a hop of a column. */
export function loadsOf({ network }: RoundsProblem, { turn }: Pick<TreeColumn, 'turn'>, hop: Hop): readonly UnitLoad[] {
  const ways = network.arcs.length;
  return (hop < turn * ways ? network.reducing : network.copying)[hop % ways];
}

type Shape = 'everyone to all' | 'root to all' | 'root to each' | 'everyone to each' | 'together';

const shapes: Partial<Readonly<Record<CollectiveKind, readonly [Shape, MovingKind?]>>> = {
  allgather: ['everyone to all'],
  reducescatter: ['everyone to all', 'allgather'],
  broadcast: ['root to all'],
  reduce: ['root to all', 'broadcast'],
  scatter: ['root to each'],
  gather: ['root to each', 'scatter'],
  alltoall: ['everyone to each'],
  allreduce: ['together'],
};

/** The commodities of a collective; those without bytes are left out. Undefined for scans, barriers and custom collectives. */
export function commoditiesOf(collective: Collective, size: Bytes): Demands | undefined {
  const shape = shapes[collective.kind];
  if (shape === undefined) return undefined;
  const [form, turned] = shape;
  const commodities = commoditiesOfForm(form, collective, size).filter(({ bytes }) => bytes > 0);
  return { commodities, reduces: collectiveFacts[collective.kind].reduces, reversed: turned };
}

function commoditiesOfForm(form: Shape, { ranks, root, counts }: Collective, size: Bytes): Commodity[] {
  const all = Array.from({ length: ranks }, (_, rank) => rank);
  const shard = (index: number): Bytes => counts?.[index] ?? size / ranks;
  const toEach = (source: number, shardOf: (rank: number) => number): Commodity[] =>
    all.filter((rank) => rank !== source).map((rank) => ({ source, targets: [rank], bytes: shard(shardOf(rank)) }));
  switch (form) {
    case 'everyone to all':
      return all.map((source) => ({ source, targets: all, bytes: shard(source) }));
    case 'root to all':
      return [{ source: root, targets: all, bytes: size }];
    case 'root to each':
      return toEach(root, (rank) => rank);
    case 'everyone to each':
      return all.flatMap((source) => toEach(source, (rank) => (counts === undefined ? rank : source * ranks + rank)));
    case 'together':
      return [{ source: undefined, targets: all, bytes: size }];
  }
}
