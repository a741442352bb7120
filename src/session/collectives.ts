/** Requests: a collective on a machine. There is one constructor for each kind of collective, with the names of NCCL and MPI. */
import { type Collective, type CollectiveKind, collectiveFacts, type ReductionOperator } from '../ir/collective.ts';
import { CccError } from '../ir/diagnostic.ts';
import { type Dtype, dtypeBytes, operatorLacking } from '../ir/dtype.ts';
import { checkShardCounts, messageBytes } from '../ir/shards.ts';
import { type Bytes, defaultMessageSize, parseBytes } from '../ir/units.ts';
import type { Machine } from './machine/machine.ts';

/** Bytes as a number, or a text with a unit: `64MiB`. */
export type BytesLike = Bytes | string;

/** What all collectives have in common. */
export interface CollectiveSpec {
  /** M: bytes of the larger of one rank's input and output (docs/collectives.md). Default 64 MiB; a barrier has one element. */
  readonly size?: BytesLike | undefined;
  /** Element type; default `f32`. */
  readonly dtype?: Dtype | undefined;
  /** Input and output share memory; default false. */
  readonly inPlace?: boolean | undefined;
}

/** Collectives with one shard for each rank, which may have sizes of their own (allgatherv, alltoallv, …). */
export interface ShardedSpec extends CollectiveSpec {
  /** Bytes of each shard, in place of `size`; for alltoall N rows of N, the shards of each sender one after the other. */
  readonly counts?: readonly Bytes[] | undefined;
}

/** Collectives with a distinguished rank. */
export interface RootedSpec extends CollectiveSpec {
  /** Default 0. */
  readonly root?: number | undefined;
}

/** Collectives that reduce. */
export interface ReducingSpec extends CollectiveSpec {
  /** Default `sum`. */
  readonly op?: ReductionOperator | undefined;
  /** The operator does not commute: contributions are combined in the order of the ranks. Default false. */
  readonly ordered?: boolean | undefined;
}

/** The options of all kinds together, for programs that choose the kind at run time. */
export interface AnyCollectiveSpec extends ShardedSpec, RootedSpec, ReducingSpec {}

/** A collective on a machine, checked: what `compile`, `bound`, `tune` and `pareto` take. */
export interface CollectiveRequest {
  readonly machine: Machine;
  readonly collective: Collective;
  /** M in bytes. */
  readonly size: Bytes;
  readonly dtype: Dtype;
  /** The schedule file that defines a custom collective. */
  readonly definition?: string | undefined;
}

/**
 * A collective of any kind on a machine. With several process groups it is the collective of each of them, and N is that of the smallest.
 * @throws CccError 'range' for a root that is no rank, 'usage' for a root, operator or counts that the kind does not have, 'unit' for a size
 */
export function collectiveRequest(
  kind: CollectiveKind,
  machine: Machine,
  spec: AnyCollectiveSpec = {},
): CollectiveRequest {
  const { root = 0, op = 'sum', ordered = false, inPlace = false, dtype = 'f32', counts } = spec;
  const { groups } = machine;
  if (groups !== undefined && counts !== undefined) {
    throw new CccError('usage', '--counts is for one group: several at once have shards of equal size');
  }
  const ranks = groups === undefined ? machine.ranks : Math.min(...groups.map((members) => members.length));
  if (!Number.isSafeInteger(root) || root < 0 || root >= ranks) {
    throw new CccError('range', `--root ${root} is out of range: there are ranks 0 … ${ranks - 1}`);
  }
  const { rooted, reduces } = collectiveFacts[kind];
  if (root !== 0 && kind !== 'custom' && !rooted) {
    throw new CccError('usage', `--root is for broadcast, reduce, scatter and gather: ${kind} has no root`);
  }
  const lacking = reduces && kind !== 'custom' ? operatorLacking(op, dtype) : undefined;
  if (lacking !== undefined) throw new CccError('usage', `--op ${lacking}`);
  const plain: Collective = { kind, ranks, chunks: 1, root, op, ordered, inPlace };
  const collective = counts === undefined ? plain : { ...plain, counts };
  checkShardCounts(collective);
  return { machine, collective, dtype, size: sizeOf(spec.size, collective, dtype) };
}

function sizeOf(wanted: BytesLike | undefined, { kind, ranks, counts }: Collective, dtype: Dtype): Bytes {
  if (counts !== undefined) return messageBytes(kind, ranks, counts);
  if (wanted === undefined) return kind === 'barrier' ? dtypeBytes[dtype] : defaultMessageSize;
  return bytesOf(wanted);
}

/** @throws CccError 'unit' for a text that is no amount of data, 'range' for a number that is none */
export function bytesOf(value: BytesLike): Bytes {
  const read = typeof value === 'number' ? { value } : parseBytes(value);
  if ('expected' in read) throw new CccError('unit', `expected ${read.expected}, not '${value}'`);
  if (Number.isFinite(read.value) && read.value >= 0 && read.value <= 2 ** 60) return read.value;
  throw new CccError('range', `a size is a number of bytes between 0 and 2^60, not ${value}`);
}

/** Every rank gets the shards of all ranks. */
export function allgather(machine: Machine, spec: ShardedSpec = {}): CollectiveRequest {
  return collectiveRequest('allgather', machine, spec);
}

/** Every rank gets one shard of the reduction of all inputs. */
export function reducescatter(machine: Machine, spec: ShardedSpec & ReducingSpec = {}): CollectiveRequest {
  return collectiveRequest('reducescatter', machine, spec);
}

/**
 * Every rank gets the reduction of all inputs.
 *
 * ```ts
 * const request = allreduce(await Machine.load('h100:2'), { size: '1GiB', op: 'sum', dtype: 'bf16' });
 * ```
 */
export function allreduce(machine: Machine, spec: ReducingSpec = {}): CollectiveRequest {
  return collectiveRequest('allreduce', machine, spec);
}

/** Every rank gets the buffer of the root. */
export function broadcast(machine: Machine, spec: RootedSpec = {}): CollectiveRequest {
  return collectiveRequest('broadcast', machine, spec);
}

/** The root gets the reduction of all inputs. */
export function reduce(machine: Machine, spec: RootedSpec & ReducingSpec = {}): CollectiveRequest {
  return collectiveRequest('reduce', machine, spec);
}

/** Every rank gets its shard of the root's buffer. */
export function scatter(machine: Machine, spec: ShardedSpec & RootedSpec = {}): CollectiveRequest {
  return collectiveRequest('scatter', machine, spec);
}

/** The root gets the shards of all ranks. */
export function gather(machine: Machine, spec: ShardedSpec & RootedSpec = {}): CollectiveRequest {
  return collectiveRequest('gather', machine, spec);
}

/** Every rank sends one shard to every rank. */
export function alltoall(machine: Machine, spec: ShardedSpec = {}): CollectiveRequest {
  return collectiveRequest('alltoall', machine, spec);
}

/** Rank r gets the reduction of the inputs of ranks 0 … r, in this order. */
export function scan(machine: Machine, spec: ReducingSpec = {}): CollectiveRequest {
  return collectiveRequest('scan', machine, spec);
}

/** Rank r gets the reduction of the inputs of ranks 0 … r − 1, in this order; rank 0 gets nothing. */
export function exscan(machine: Machine, spec: ReducingSpec = {}): CollectiveRequest {
  return collectiveRequest('exscan', machine, spec);
}

/** No rank goes on before all ranks have arrived. */
export function barrier(machine: Machine, spec: Omit<CollectiveSpec, 'size'> = {}): CollectiveRequest {
  return collectiveRequest('barrier', machine, spec);
}

/** @param definition the path of a schedule file, which says what every rank has and wants (docs/schedule-language.md) */
export function custom(machine: Machine, definition: string, spec: ReducingSpec = {}): CollectiveRequest {
  return { ...collectiveRequest('custom', machine, spec), definition };
}
