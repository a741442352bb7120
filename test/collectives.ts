import { type Collective, type CollectiveKind, collectiveKinds } from '../src/ir/collective.ts';

/** Those that move data by rules of their own, and those of them in which the order of ranks counts for nothing. */
export const dataKinds: readonly CollectiveKind[] = collectiveKinds.filter(
  (kind) => kind !== 'barrier' && kind !== 'custom',
);
export const unorderedKinds: readonly CollectiveKind[] = dataKinds.filter(
  (kind) => kind !== 'scan' && kind !== 'exscan',
);

/** One chunk to a shard, summed, with rank 0 for a root and out of place, unless it says otherwise. */
export function collectiveOf(kind: CollectiveKind, ranks: number, changes: Partial<Collective> = {}): Collective {
  return { kind, ranks, chunks: 1, root: 0, op: 'sum', ordered: false, inPlace: false, ...changes };
}
