/** What is moved over which network in how many rounds, whatever is made of it. */
import type { Collective, CollectiveKind } from '../../ir/collective.ts';
import type { Bytes } from '../../ir/units.ts';
import type { MovingKind } from '../derive.ts';
import { distancesFrom } from '../distances.ts';
import type { RoundsNetwork } from './network.ts';

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
export interface Column {
  /** Index of the commodity. */
  readonly commodity: number;
  /** Ascending, each at most once. */
  readonly hops: readonly Hop[];
  /** Hops of rounds before this one bring parts together (allreduce); the others spread copies. */
  readonly turn: number;
}

export interface Demands {
  readonly commodities: readonly Commodity[];
  /** Where data is combined: nowhere; where a hop starts, in moves that are turned round afterwards; or where hops before a column's turn end. */
  readonly reductions: 'none' | 'at-start' | 'before-turn';
  /** What is moved, on the machine with its links turned round, for the schedule to be turned round afterwards. */
  readonly turned: MovingKind | undefined;
}

export interface RoundsProblem extends Demands {
  readonly network: RoundsNetwork;
  readonly rounds: number;
}

/** The rank that reduces what a hop of a column carries; −1 where it is copied. */
export function reducerOf({ network, reductions }: RoundsProblem, { turn }: Pick<Column, 'turn'>, hop: Hop): number {
  const ways = network.from.length;
  if (reductions === 'none') return -1;
  if (reductions === 'at-start') return network.from[hop % ways];
  return hop < turn * ways ? network.to[hop % ways] : -1;
}

type Shape = 'everyone to all' | 'root to all' | 'root to each' | 'everyone to each' | 'together';

const shapes: Partial<Readonly<Record<CollectiveKind, readonly [Shape, Demands['reductions'], MovingKind?]>>> = {
  allgather: ['everyone to all', 'none'],
  reducescatter: ['everyone to all', 'at-start', 'allgather'],
  broadcast: ['root to all', 'none'],
  reduce: ['root to all', 'at-start', 'broadcast'],
  scatter: ['root to each', 'none'],
  gather: ['root to each', 'none', 'scatter'],
  alltoall: ['everyone to each', 'none'],
  allreduce: ['together', 'before-turn'],
};

/** The commodities of a collective; those without bytes are left out. Undefined for scans, barriers and custom collectives. */
export function demandsOf(collective: Collective, size: Bytes): Demands | undefined {
  const shape = shapes[collective.kind];
  if (shape === undefined) return undefined;
  const [form, reductions, turned] = shape;
  const commodities = commoditiesOf(form, collective, size).filter(({ bytes }) => bytes > 0);
  return { commodities, reductions, turned };
}

function commoditiesOf(form: Shape, { ranks, root, counts }: Collective, size: Bytes): Commodity[] {
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

/** Rounds for the farthest target of all; Infinity where one cannot be reached. */
export function leastRounds({ ranks, from, to }: RoundsNetwork, commodities: readonly Commodity[]): number {
  const next: number[][] = Array.from({ length: ranks }, () => []);
  from.forEach((rank, way) => {
    next[rank].push(to[way]);
  });
  const distances = next.map((_, rank) => distancesFrom(rank, ranks, (at) => next[at]));
  const farthest = (source: number, targets: readonly number[]): number =>
    Math.max(...targets.map((target) => distances[source][target]));
  const needed = ({ source, targets }: Commodity): number => {
    if (source !== undefined) return farthest(source, targets);
    const together = (root: number): number => Math.max(...targets.map((target) => distances[target][root]));
    return Math.min(...targets.map((root) => together(root) + farthest(root, targets)));
  };
  return Math.max(0, ...commodities.map(needed));
}
