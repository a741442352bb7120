/** Collectives as commodities: what has to get from where to where, whatever the machine. */
import type { Collective, CollectiveKind } from '../../ir/collective.ts';
import type { Bytes } from '../../ir/units.ts';
import type { Commodity } from './columns.ts';

/** Where data is combined: nowhere; where a hop starts, in moves that are turned round afterwards; or where hops before a column's turn end. */
export type Reductions = 'none' | 'at-start' | 'before-turn';

export interface Demands {
  readonly commodities: readonly Commodity[];
  readonly reductions: Reductions;
  /** They are moved on the machine with its links turned round, and the schedule is turned round afterwards. */
  readonly turned: boolean;
}

type Shape = 'everyone to all' | 'root to all' | 'root to each' | 'everyone to each' | 'together';

const shapes: Partial<Readonly<Record<CollectiveKind, readonly [Shape, Reductions, turned: boolean]>>> = {
  allgather: ['everyone to all', 'none', false],
  reducescatter: ['everyone to all', 'at-start', true],
  broadcast: ['root to all', 'none', false],
  reduce: ['root to all', 'at-start', true],
  scatter: ['root to each', 'none', false],
  gather: ['root to each', 'none', true],
  alltoall: ['everyone to each', 'none', false],
  allreduce: ['together', 'before-turn', false],
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
  switch (form) {
    case 'everyone to all':
      return all.map((source) => ({ source, targets: all, bytes: shard(source) }));
    case 'root to all':
      return [{ source: root, targets: all, bytes: size }];
    case 'root to each':
      return all.filter((rank) => rank !== root).map((rank) => ({ source: root, targets: [rank], bytes: shard(rank) }));
    case 'everyone to each':
      return all.flatMap((source) =>
        all
          .filter((rank) => rank !== source)
          .map((rank) => ({
            source,
            targets: [rank],
            bytes: shard(counts === undefined ? rank : source * ranks + rank),
          })),
      );
    case 'together':
      return [{ source: undefined, targets: all, bytes: size }];
  }
}
