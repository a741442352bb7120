/**
 * Collectives: what goes in, what must come out, and which slots are the same memory when they run in place
 * (docs/collectives.md). All sizes are in chunks; C = `chunks` is the number of chunks per shard, N = `ranks`.
 */

import { type Contribution, type CustomResults, runOfSlot } from './custom-results.ts';
import { intAt, itemAt } from './indexing.ts';

export type { Contribution } from './custom-results.ts';

export const collectiveKinds = [
  'allgather',
  'reducescatter',
  'allreduce',
  'broadcast',
  'reduce',
  'scatter',
  'gather',
  'alltoall',
  'scan',
  'exscan',
  'barrier',
  'custom',
] as const;
export type CollectiveKind = (typeof collectiveKinds)[number];

/**
 * `minloc` and `maxloc` combine pairs of a value and an index, as in MPI: they keep the pair with the min or max value, and of equal values the one
 * with the lower index.
 */
export const reductionOperators = ['sum', 'prod', 'max', 'min', 'and', 'or', 'xor', 'minloc', 'maxloc'] as const;
export type ReductionOperator = (typeof reductionOperators)[number];

/** Operators for which a contribution may arrive twice without changing the result: x ⊕ x = x. */
export function isIdempotent(op: ReductionOperator): boolean {
  return op !== 'sum' && op !== 'prod' && op !== 'xor';
}

/** The pre- and post-condition of a custom collective, as data (`custom-results.ts`). */
export interface CustomCondition {
  /** Input chunks of each rank. */
  readonly input: readonly number[];
  /** Output chunks of each rank. */
  readonly output: readonly number[];
  /**
   * In place only, by rank: the output slot that shares memory with input slot 0, negative if the input begins before the output; all 0 if left out.
   */
  readonly inputAt?: readonly number[];
  /** What each output slot must hold, in reduction order. */
  readonly results: CustomResults;
}

export interface Collective {
  readonly kind: CollectiveKind;
  /** N ≥ 1. */
  readonly ranks: number;
  /** C ≥ 1, chunks per shard. */
  readonly chunks: number;
  /** The distinguished rank of broadcast, reduce, scatter and gather; 0 and unused elsewhere. */
  readonly root: number;
  /** Used by reducescatter, allreduce, reduce, scan, exscan and custom. */
  readonly op: ReductionOperator;
  /** True if the operator does not commute, so that contributions must be combined in rank order. */
  readonly ordered: boolean;
  readonly inPlace: boolean;
  /**
   * Bytes of each shard, if shards differ in size (allgatherv …): N counts, for alltoall N·N, row by row of senders. Absent if all shards are M/N.
   * Shard i still has C chunks, each of `counts[i]` / C bytes; 0 is legal. See `shards.ts`.
   */
  readonly counts?: readonly number[];
  /** Present exactly when `kind` is `custom`. */
  readonly custom?: CustomCondition;
}

/** Facts about a kind that hold for every N, C and root. */
export interface CollectiveFacts {
  readonly rooted: boolean;
  readonly reduces: boolean;
  /** The larger buffer holds one shard per rank (N·C chunks) instead of C chunks. */
  readonly sharded: boolean;
  /** One sentence for `ccc list collectives`. */
  readonly about: string;
}

export const collectiveFacts: Readonly<Record<CollectiveKind, CollectiveFacts>> = {
  allgather: { rooted: false, reduces: false, sharded: true, about: "everyone gets everyone's shard" },
  reducescatter: { rooted: false, reduces: true, sharded: true, about: 'everyone gets one shard of the reduction' },
  allreduce: { rooted: false, reduces: true, sharded: false, about: 'everyone gets the whole reduction' },
  broadcast: { rooted: true, reduces: false, sharded: false, about: "everyone gets the root's buffer" },
  reduce: { rooted: true, reduces: true, sharded: false, about: 'the root gets the whole reduction' },
  scatter: { rooted: true, reduces: false, sharded: true, about: "everyone gets their shard of the root's buffer" },
  gather: { rooted: true, reduces: false, sharded: true, about: "the root gets everyone's shard" },
  alltoall: { rooted: false, reduces: false, sharded: true, about: 'everyone sends one shard to everyone' },
  scan: {
    rooted: false,
    reduces: true,
    sharded: false,
    about: 'rank r gets the reduction of ranks 0 … r, in rank order',
  },
  exscan: {
    rooted: false,
    reduces: true,
    sharded: false,
    about: 'rank r gets the reduction of ranks 0 … r−1, in rank order',
  },
  barrier: { rooted: false, reduces: false, sharded: false, about: 'nobody leaves before everybody has entered' },
  custom: { rooted: false, reduces: true, sharded: false, about: 'pre- and post-condition given as data' },
};

/** By kind, the dual collective, whose schedules are those of the kind with every transfer reversed; kinds without a dual are missing. */
export const dualKinds: Partial<Readonly<Record<CollectiveKind, CollectiveKind>>> = {
  allgather: 'reducescatter',
  reducescatter: 'allgather',
  broadcast: 'reduce',
  reduce: 'broadcast',
  scatter: 'gather',
  gather: 'scatter',
  alltoall: 'alltoall',
};

/** Contributions must be combined in rank order: scans always, the others when the operator does not commute. */
export function combinesInRankOrder(collective: Collective): boolean {
  return collective.ordered || collective.kind === 'scan' || collective.kind === 'exscan';
}

/** Chunks of a rank's input buffer. */
export function inputChunks(c: Collective, rank: number): number {
  switch (c.kind) {
    case 'allgather':
    case 'allreduce':
    case 'reduce':
    case 'gather':
    case 'scan':
    case 'exscan':
      return c.chunks;
    case 'reducescatter':
    case 'alltoall':
      return c.ranks * c.chunks;
    case 'broadcast':
      return rank === c.root ? c.chunks : 0;
    case 'scatter':
      return rank === c.root ? c.ranks * c.chunks : 0;
    case 'barrier':
      return 1;
    case 'custom':
      return c.custom?.input[rank] ?? 0;
  }
}

/** Chunks of a rank's output buffer. */
export function outputChunks(c: Collective, rank: number): number {
  switch (c.kind) {
    case 'allgather':
    case 'alltoall':
      return c.ranks * c.chunks;
    case 'reducescatter':
    case 'scatter':
    case 'allreduce':
    case 'broadcast':
    case 'scan':
    case 'exscan':
      return c.chunks;
    case 'reduce':
      return rank === c.root ? c.chunks : 0;
    case 'gather':
      return rank === c.root ? c.ranks * c.chunks : 0;
    case 'barrier':
      return 0;
    case 'custom':
      return c.custom?.output[rank] ?? 0;
  }
}

/** Chunks of a shard: C, but 1 for a barrier, whose data is one token, and for custom collectives, in which every slot counts as a shard. */
export function chunksPerShard({ kind, chunks }: Collective): number {
  return kind === 'barrier' || kind === 'custom' ? 1 : chunks;
}

/** Number of chunks that a message of M bytes consists of: that of the larger of one rank's input and output. */
export function messageChunks(c: Collective): number {
  if (c.kind === 'custom')
    return [...(c.custom?.input ?? []), ...(c.custom?.output ?? [])].reduce((a, b) => Math.max(a, b), 1);
  if (c.kind === 'barrier') return 1;
  return collectiveFacts[c.kind].sharded ? c.ranks * c.chunks : c.chunks;
}

/**
 * A rank's input and output as windows into one row of memory cells: in place they overlap as docs/collectives.md
 * says, otherwise they lie side by side. Slot s of the input is cell `input + s`, likewise for the output.
 */
export interface MemoryLayout {
  readonly input: number;
  readonly output: number;
  /** Cells that input and output take up together; scratch starts behind them. */
  readonly cells: number;
}

/** Where a rank's input and output lie in memory. */
export function memoryLayout(c: Collective, rank: number): MemoryLayout {
  const inputs = inputChunks(c, rank);
  const outputs = outputChunks(c, rank);
  if (!c.inPlace || inputs === 0 || outputs === 0) return { input: 0, output: inputs, cells: inputs + outputs };
  const cells = Math.max(inputs, outputs);
  switch (c.kind) {
    case 'allgather':
      return { input: rank * c.chunks, output: 0, cells };
    case 'gather':
      return { input: c.root * c.chunks, output: 0, cells };
    case 'reducescatter':
      return { input: 0, output: rank * c.chunks, cells };
    case 'scatter':
      return { input: 0, output: c.root * c.chunks, cells };
    case 'custom': {
      const at = c.custom?.inputAt?.[rank] ?? 0;
      const [input, output] = [Math.max(0, at), Math.max(0, -at)];
      return { input, output, cells: Math.max(input + inputs, output + outputs) };
    }
    default:
      return { input: 0, output: 0, cells };
  }
}

/**
 * What an output slot must hold: the reduction, in rank order, of input chunk `chunk` of ranks `first` … `last` (a copy if both are equal); for
 * custom collectives an explicit list; or anything (`undefined`). In a list, `at` is added to the chunk numbers of all parts, so that the slots of a
 * run share one list.
 */
export type Expectation =
  | { readonly kind: 'ranks'; readonly chunk: number; readonly first: number; readonly last: number }
  | { readonly kind: 'list'; readonly parts: readonly Contribution[]; readonly at: number }
  | { readonly kind: 'undefined' };

/**
 * Which shard a slot of a rank's input or output belongs to, as an index of `counts`; only for collectives with shards
 * (`collectiveFacts`).
 */
export function shardOf(c: Collective, buffer: 'input' | 'output', rank: number, slot: number): number {
  const inBuffer = Math.floor(slot / c.chunks);
  switch (c.kind) {
    case 'allgather':
    case 'gather':
      return buffer === 'input' ? rank : inBuffer;
    case 'alltoall':
      return buffer === 'input' ? rank * c.ranks + inBuffer : inBuffer * c.ranks + rank;
    default:
      return buffer === 'input' ? inBuffer : rank;
  }
}

/** The post-condition (docs/collectives.md) of output slot `slot` of `rank`; a shard of no bytes may be anything. */
export function expectation(c: Collective, rank: number, slot: number): Expectation {
  if (c.counts?.[shardOf(c, 'output', rank, slot)] === 0) return { kind: 'undefined' };
  const all = { first: 0, last: c.ranks - 1 };
  const from = (source: number, chunk: number): Expectation => ({ kind: 'ranks', chunk, first: source, last: source });
  const shard = Math.floor(slot / c.chunks);
  const within = slot % c.chunks;
  switch (c.kind) {
    case 'allgather':
    case 'gather':
      return from(shard, within);
    case 'reducescatter':
      return { kind: 'ranks', chunk: rank * c.chunks + slot, ...all };
    case 'allreduce':
    case 'reduce':
      return { kind: 'ranks', chunk: slot, ...all };
    case 'broadcast':
      return from(c.root, slot);
    case 'scatter':
      return from(c.root, rank * c.chunks + slot);
    case 'alltoall':
      return from(shard, rank * c.chunks + within);
    case 'scan':
      return { kind: 'ranks', chunk: slot, first: 0, last: rank };
    case 'exscan':
      return rank === 0 ? { kind: 'undefined' } : { kind: 'ranks', chunk: slot, first: 0, last: rank - 1 };
    case 'barrier':
      return { kind: 'undefined' };
    case 'custom': {
      if (c.custom === undefined) return { kind: 'undefined' };
      const { slot: first, list, at, lists } = c.custom.results;
      const run = runOfSlot(c.custom.results, rank, slot);
      if (run < 0 || intAt(list, run) < 0) return { kind: 'undefined' };
      return { kind: 'list', parts: itemAt(lists, intAt(list, run)), at: intAt(at, run) + slot - intAt(first, run) };
    }
  }
}

/** The contributions that a list expectation stands for, in reduction order. */
export function listed({ parts, at }: Extract<Expectation, { kind: 'list' }>): readonly Contribution[] {
  return parts.map(({ rank, chunk }) => ({ rank, chunk: chunk + at }));
}
