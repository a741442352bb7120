/** Derives the collective of an MSCCL algorithm, with its number of chunks. */
import {
  type Collective,
  type CollectiveKind,
  inputChunks,
  outputChunks,
  type ReductionOperator,
} from '../../ir/collective.ts';
import { CccError } from '../../ir/diagnostic.ts';
import type { MscclAlgorithm } from './algorithm.ts';

/** The arguments of a call that an algorithm's file does not state. */
export interface CallArguments {
  readonly root: number;
  readonly op: ReductionOperator;
  /** The use of files that are for in-place and out-of-place use; default: in place. */
  readonly use?: 'in place' | 'out of place' | undefined;
}

/**
 * The message of allgather, reducescatter and alltoall has N shards, that of other collectives one. `nchunksperloop` is the number of chunks
 * of the whole message.
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

/** @throws CccError 'unsupported' if the file does not determine the result, 'malformed', 'range' for the root */
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

/** Remarks on properties of the file that are unusual, but not wrong. */
export function mscclNotes(algorithm: MscclAlgorithm, collective: Collective): readonly string[] {
  const { missing, channels, gpus } = algorithm;
  const notes: string[] = [];
  if (missing.length > 0) notes.push(`the file lacks ${missing.join(', ')}: runtimes refuse it`);
  const rooted = ['broadcast', 'reduce', 'gather', 'scatter'].includes(collective.kind);
  if (rooted) notes.push(`the format does not name the root; it is taken to be rank ${collective.root}`);
  const blocks = gpus.flatMap((gpu) => [...gpu.blocks.values()]);
  const beyond = blocks.find(({ channel }) => channel >= channels);
  if (beyond !== undefined) notes.push(`nchannels="${channels}", but there is a <tb> with chan="${beyond.channel}"`);
  // In-place algorithms may declare the buffer that they do not use as empty.
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
