/** The problem of the rounds engine: what is moved over which network in how many rounds. */
import { type Collective, type CollectiveKind, collectiveFacts } from '../../ir/collective.ts';
import type { Bytes } from '../../ir/units.ts';
import type { MovingKind } from '../derive.ts';
import type { RoundsNetwork, UnitLoad } from './network.ts';

/** Data that takes one or several columns, in shares. */
export interface Commodity {
  /**
   * The rank that has it initially; undefined for data of which every rank has a contribution, which may be gathered
   * anywhere.
   */
  readonly source: number | undefined;
  /** Ranks that need it. */
  readonly targets: readonly number[];
  readonly bytes: Bytes;
}

/** An arc of the network in a round, encoded as round · (number of arcs) + arc. */
export type Hop = number;

/** One way to deliver a commodity to all its targets: a tree of hops. */
export interface TreeColumn {
  /** Index of the commodity. */
  readonly commodity: number;
  /** Ascending, without duplicates. */
  readonly hops: readonly Hop[];
  /**
   * Hops of rounds before this one gather and reduce contributions; the others spread copies. A reversed reduction
   * gathers in all rounds.
   */
  readonly turn: number;
}

export interface Demands {
  readonly commodities: readonly Commodity[];
  readonly reduces: boolean;
  /** The collective that is moved on the transposed machine, if the schedule is reversed afterwards. */
  readonly reversed: MovingKind | undefined;
}

export interface RoundsProblem extends Demands {
  readonly network: RoundsNetwork;
  readonly rounds: number;
}

/** What a byte occupies in the round of a hop of a column. */
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

/**
 * The commodities of a collective; those without bytes are omitted. Undefined for scans, barriers and custom
 * collectives.
 */
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
