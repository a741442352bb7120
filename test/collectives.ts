import type { Collective, CollectiveKind } from '../src/ir/collective.ts';

/** One chunk to a shard, summed, with rank 0 for a root and out of place, unless it says otherwise. */
export function collectiveOf(kind: CollectiveKind, ranks: number, changes: Partial<Collective> = {}): Collective {
  return { kind, ranks, chunks: 1, root: 0, op: 'sum', ordered: false, inPlace: false, ...changes };
}
