/** What benchmarks of MPI call the collectives, and what they count as the size of one. */
import type { CollectiveKind } from '../../ir/collective.ts';
import { CccError, type SourceRange } from '../../ir/diagnostic.ts';
import type { Measurement } from './measurement.ts';

/** Names without case, spaces and signs, and without what `plainName` removes. */
const kinds: Readonly<Record<string, CollectiveKind>> = {
  allgather: 'allgather',
  allreduce: 'allreduce',
  alltoall: 'alltoall',
  barrier: 'barrier',
  bcast: 'broadcast',
  broadcast: 'broadcast',
  exscan: 'exscan',
  gather: 'gather',
  reduce: 'reduce',
  reducescatter: 'reducescatter',
  scan: 'scan',
  scatter: 'scatter',
};

/**
 * `Non-blocking All-to-All Personalized Exchange`, `Persistent Allgatherv`, `Ialltoall` and `Reduce_scatter_block` are the collectives without
 * these words: the benchmarks of vector variants give every rank the same count.
 */
function plainName(name: string): string {
  const letters = name
    .toLowerCase()
    .replaceAll(/non-?blocking|persistent|personalized exchange|\bblock\b|_block\b|mpi-?\w*/g, ' ')
    .replaceAll(/[^a-z]/g, '');
  const variants = [letters, letters.replace(/^i/, ''), letters.replace(/[vw]$/, ''), letters.replace(/^i|[vw]$/g, '')];
  return variants.find((variant) => Object.hasOwn(kinds, variant)) ?? letters;
}

/** @throws CccError 'unsupported' for a benchmark of something else */
export function mpiCollective(name: string, range: SourceRange): CollectiveKind {
  const plain = plainName(name);
  if (Object.hasOwn(kinds, plain)) return kinds[plain];
  const known = Object.keys(kinds).join(', ');
  throw new CccError('unsupported', `'${name}' is none of the benchmarks that are read: ${known}`, range);
}

/** Of these both count what one rank sends to one other; of the rest the whole vector, which is M. */
export function countedOf(kind: CollectiveKind): Measurement['counted'] {
  return kind === 'allgather' || kind === 'alltoall' || kind === 'gather' || kind === 'scatter' ? 'block' : 'message';
}
