/** Maps the names of MPI benchmarks (OSU, IMB) to collectives, and says which number of bytes these benchmarks call the size. */
import type { CollectiveKind } from '../../ir/collective.ts';
import { CccError, type SourceRange } from '../../ir/diagnostic.ts';
import type { Measurement } from './measurement.ts';

/** Collectives by their benchmarks' names in lower case, without spaces and punctuation, and without the words that `plainName` removes. */
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
 * Removes the words that do not change the collective: `Non-blocking All-to-All Personalized Exchange`, `Persistent Allgatherv`, `Ialltoall` and
 * `Reduce_scatter_block` stand for the plain collectives. The `v` and `w` variants do, too, since the benchmarks give every rank the same count.
 */
function plainName(name: string): string {
  const letters = name
    .toLowerCase()
    .replaceAll(/non-?blocking|persistent|personalized exchange|\bblock\b|_block\b|mpi-?\w*/g, ' ')
    .replaceAll(/[^a-z]/g, '');
  const variants = [letters, letters.replace(/^i/, ''), letters.replace(/[vw]$/, ''), letters.replace(/^i|[vw]$/g, '')];
  return variants.find((variant) => Object.hasOwn(kinds, variant)) ?? letters;
}

/** Returns the collective that a benchmark measures. @throws CccError 'unsupported' for a benchmark of anything else */
export function mpiCollective(name: string, range: SourceRange): CollectiveKind {
  const plain = plainName(name);
  if (Object.hasOwn(kinds, plain)) return kinds[plain];
  const known = Object.keys(kinds).join(', ');
  throw new CccError('unsupported', `'${name}' is none of the benchmarks that are read: ${known}`, range);
}

/**
 * What OSU and IMB call the size: for collectives with one block per rank it is the block that one rank sends to another, for the others the whole
 * vector, which is M.
 */
export function countedOf(kind: CollectiveKind): Measurement['counted'] {
  return kind === 'allgather' || kind === 'alltoall' || kind === 'gather' || kind === 'scatter' ? 'block' : 'message';
}
