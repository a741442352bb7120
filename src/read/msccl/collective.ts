/** Which collective an MSCCL algorithm is, in chunks. */
import {
  type Collective,
  type CollectiveKind,
  inputChunks,
  outputChunks,
  type ReductionOperator,
} from '../../ir/collective.ts';
import { CccError } from '../../ir/diagnostic.ts';
import type { MscclAlgorithm } from './algorithm.ts';

/** What an algorithm does not say: the runtime is told with each call. */
export interface CallArguments {
  readonly root: number;
  readonly op: ReductionOperator;
  /** How files are used that are for both; in place if left out. */
  readonly use?: 'in place' | 'out of place' | undefined;
}

/**
 * The message of allgather, reducescatter and alltoall is N shards, that of the others one: `nchunksperloop` divides it.
 */
const kinds: ReadonlyMap<string, { readonly kind: CollectiveKind; readonly sharded: boolean }> = new Map([
  ['allgather', { kind: 'allgather', sharded: true }],
  ['reducescatter', { kind: 'reducescatter', sharded: true }],
  ['reduce_scatter', { kind: 'reducescatter', sharded: true }],
  ['alltoall', { kind: 'alltoall', sharded: true }],
  ['allreduce', { kind: 'allreduce', sharded: false }],
  ['broadcast', { kind: 'broadcast', sharded: false }],
  ['reduce', { kind: 'reduce', sharded: false }],
  ['gather', { kind: 'gather', sharded: false }],
  ['scatter', { kind: 'scatter', sharded: false }],
]);

/** @throws CccError 'unsupported' when the file cannot say what must come out, 'malformed', 'range' for the root */
export function mscclCollectiveOf(
  algorithm: MscclAlgorithm,
  { root, op, use = 'in place' }: CallArguments,
): Collective {
  const { collective, ranks, chunksPerLoop, element } = algorithm;
  const inPlace = algorithm.inPlace && algorithm.outOfPlace ? use === 'in place' : algorithm.inPlace;
  const found = kinds.get(collective);
  if (found === undefined) {
    const message = `an algorithm for '${collective}' does not say what must come out of it: there is nothing to prove`;
    throw new CccError('unsupported', message, element.malformed('coll', '').range);
  }
  if (root >= ranks) throw new CccError('range', `root ${root} is out of range: there are ranks 0 … ${ranks - 1}`);
  if (found.sharded && chunksPerLoop % ranks !== 0) {
    throw element.malformed(
      'nchunksperloop',
      `${collective} needs a multiple of the ${ranks} ranks, found ${chunksPerLoop}`,
    );
  }
  const chunks = found.sharded ? chunksPerLoop / ranks : chunksPerLoop;
  return { kind: found.kind, ranks, chunks, root, op, ordered: false, inPlace };
}

/** What is unusual about the file without being wrong. */
export function mscclNotes(algorithm: MscclAlgorithm, collective: Collective): readonly string[] {
  const { missing, channels, gpus } = algorithm;
  const notes: string[] = [];
  if (missing.length > 0) notes.push(`the file lacks ${missing.join(', ')}: runtimes refuse it`);
  const rooted = ['broadcast', 'reduce', 'gather', 'scatter'].includes(collective.kind);
  if (rooted) notes.push(`the format does not name the root; it is taken to be rank ${collective.root}`);
  const blocks = gpus.flatMap((gpu) => [...gpu.blocks.values()]);
  const beyond = blocks.find(({ channel }) => channel >= channels);
  if (beyond !== undefined) notes.push(`nchannels="${channels}", but there is a <tb> with chan="${beyond.channel}"`);
  // A buffer that an algorithm in place does not name may be declared as empty.
  const odd = gpus.find(
    ({ id, declared }) =>
      (declared.input !== 0 && declared.input !== inputChunks(collective, id)) ||
      (declared.output !== 0 && declared.output !== outputChunks(collective, id)),
  );
  if (odd !== undefined) {
    const needs = `${inputChunks(collective, odd.id)} and ${outputChunks(collective, odd.id)}`;
    const said = `i_chunks="${odd.declared.input}" o_chunks="${odd.declared.output}"`;
    notes.push(`gpu ${odd.id} declares ${said}; ${collective.kind} has ${needs} by nchunksperloop and ngpus`);
  }
  return notes;
}
