/** What benchmarks of MPI call the collectives, and what they count as the size of one. */
import type { CollectiveKind } from '../../ir/collective.ts';
import { CccError, type SourceRange } from '../../ir/diagnostic.ts';
import type { Measurement } from './measurement.ts';

const kinds: Readonly<Record<string, CollectiveKind>> = {
  allgather: 'allgather',
  allreduce: 'allreduce',
  alltoall: 'alltoall',
  bcast: 'broadcast',
  broadcast: 'broadcast',
  gather: 'gather',
  reduce: 'reduce',
  reduce_scatter: 'reducescatter',
  scatter: 'scatter',
  scan: 'scan',
  exscan: 'exscan',
};

/** @throws CccError 'unsupported' for a benchmark of something else */
export function mpiCollective(name: string, range: SourceRange): CollectiveKind {
  const kind = kinds[name.toLowerCase().replaceAll(/[ -]/g, '_')];
  if (kind !== undefined) return kind;
  throw new CccError(
    'unsupported',
    `'${name}' is none of the benchmarks that are read: ${Object.keys(kinds).join(', ')}`,
    range,
  );
}

/** Of these both count what one rank sends to one other; of the rest the whole vector, which is M. */
export function countedOf(kind: CollectiveKind): Measurement['counted'] {
  return kind === 'allgather' || kind === 'alltoall' || kind === 'gather' || kind === 'scatter' ? 'block' : 'message';
}
