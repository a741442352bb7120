/**
 * Compact plans, for machines whose full plan would not fit: where every chip sees the same links, all ranks may run
 * the same program, shifted. Ranks are mixed-radix coordinates, last axis fastest, added axis by axis (`TranslationGroup`).
 */

import { type Collective, type CollectiveKind, collectiveFacts } from './collective.ts';
import { intAt, itemAt } from './indexing.ts';
import { isReceive, isSend, operationCount, type Plan, type PlanBuffer, type ProgramBuffers } from './plan.ts';
import { Connections } from './plan-index.ts';
import type { CopyEngine, OccupancyRule, Ports, ReduceEngine } from './topology.ts';
import type { TranslationGroup } from './translation-group.ts';
import type { BytesPerSecond, Seconds } from './units.ts';

/** Collectives in which all ranks have the same part, so that all can run one program. */
export const compactKinds: readonly CollectiveKind[] = ['allgather', 'reducescatter', 'allreduce', 'alltoall'];

/** The links of one direction: every rank r has one to rank r ⊕ offset. */
export interface Generator {
  /** The rank that rank 0's link leads to; never 0. */
  readonly offset: number;
  readonly latency: Seconds;
  readonly bandwidth: BytesPerSecond;
  readonly occupancy: OccupancyRule;
  readonly units: number;
}

/** A machine that looks the same from every chip, by what one chip sees; it has no switches. */
export interface SymmetricTopology {
  /** As a user would type it. */
  readonly name: string;
  /** Extents of the axes; all of them wrap. */
  readonly shape: readonly number[];
  /** In increasing order of offset; together they reach every rank. */
  readonly generators: readonly Generator[];
  readonly ports: Ports;
  readonly reduce: ReduceEngine | undefined;
  readonly copy: CopyEngine | undefined;
  /** Transfers that a connection buffers (0 = rendezvous); undefined = unbounded. */
  readonly inflight: number | undefined;
  readonly notes: readonly string[];
}

/**
 * Rank 0's program, in the tables of a plan that has this one program. Rank r runs it with peer p → r ⊕ p, and in buffers of
 * N·C chunks with shard i → r ⊕ i; a slice of these stays within one shard. What a plan says of rank 0 alone is therefore
 * true of every rank, shifted.
 */
export interface CompactPlan extends Omit<Plan, 'firstLane' | 'buffers' | 'rounds'> {
  readonly shape: readonly number[];
  /** Of an allreduce: its buffers are N shards of C/N chunks, which are shifted too. Else all ranks have the same names for its chunks. */
  readonly sharded: boolean;
  /** Of every rank. */
  readonly buffers: ProgramBuffers;
}

/**
 * How shards come to rank 0 in an allgather, in rows ordered by step, generator, shard and chunk. A chunk of shard z comes over
 * a generator from rank ⊖offset, which knew it as a chunk of shard z ⊕ offset and had it before the step.
 */
export interface InTree {
  readonly stepCount: number;
  /** Rows of step s (from 0) over generator g of G: `firstRow[s · G + g] … firstRow[s · G + g + 1] − 1`. */
  readonly firstRow: Int32Array;
  readonly shard: Int32Array;
  readonly chunk: Int32Array;
}

/**
 * How rank 0's items of an alltoall travel: item rank · parts + part is that part of the shard for the rank. In each stage it goes so many
 * links over one generator, −1 if it rests.
 */
export interface StagedRoutes {
  readonly parts: number;
  readonly stages: readonly { readonly generator: Int8Array; readonly hops: Int32Array }[];
}

/** How the values of some ranks, of a line or of all, come to rank 0 to be reduced there. */
export interface GatherThenReduce {
  /** By layers; its shards are numbers of these ranks, its generators those of `over`. */
  readonly tree: InTree;
  /** The machine's generator that each generator of the tree is. */
  readonly over: readonly number[];
  /** The rank of each number. */
  readonly rankOf: Int32Array;
}

/** Ranks of a compact plan, unless a higher limit is set for all plans: four million take about a gigabyte. */
export const maxCompactRanks = 2 ** 22;

/** Whether a buffer has one shard per rank, so that a shift of ranks shifts its shards: input of N·C chunks, or output. */
export function isShifted({ kind }: Collective, buffer: PlanBuffer): boolean {
  if (!collectiveFacts[kind].sharded || buffer === 'scratch') return false;
  return kind === 'alltoall' || (buffer === 'output') === (kind === 'allgather');
}

/** Chunks of the shards that a shift of ranks shifts in a buffer; undefined where all ranks have the same names for its chunks. */
export function shiftedShard(
  { collective, sharded }: Pick<CompactPlan, 'collective' | 'sharded'>,
  buffer: PlanBuffer,
): number | undefined {
  const { kind, ranks, chunks } = collective;
  if (kind === 'allreduce') return sharded && buffer !== 'scratch' ? chunks / ranks : undefined;
  return isShifted(collective, buffer) ? chunks : undefined;
}

/** A compact plan of what a builder has made of rank 0's program alone. */
export function compactPlan(
  { firstLane: _, buffers, rounds: _rounds, ...tables }: Plan,
  shape: readonly number[],
  sharded = false,
): CompactPlan {
  return { ...tables, shape, sharded, buffers: itemAt(buffers, 0) };
}

/** Rank 0's program as the only one of a plan, for what looks at one program at a time: its peers and shards are offsets. */
export function soleProgram({ shape: _, sharded: _sharded, buffers, ...tables }: CompactPlan): Plan {
  return { ...tables, buffers: [buffers], rounds: [], firstLane: Int32Array.of(0, tables.laneId.length) };
}

/**
 * The messages of rank 0's program, which every rank runs shifted: by the offset of the receiver and the channel. What rank 0 sends
 * to offset p, rank p receives from rank 0, which is offset ⊖p as rank p sees it. Since rank p runs the same program, the k-th send to
 * p meets the k-th receive from ⊖p on every rank.
 *
 * @param program as `soleProgram` returns it; its peers must be in range
 */
export function shiftedConnections(program: Plan, group: TranslationGroup): Connections {
  const { ops } = program;
  const of = new Int32Array(operationCount(program)).fill(-1);
  const numbers = new Map<string, number>();
  for (let o = 0; o < of.length; o++) {
    if (!isSend(program, o) && !isReceive(program, o)) continue;
    const offset = isSend(program, o) ? intAt(ops.peer, o) : group.negate(intAt(ops.peer, o));
    const key = `${offset} ${intAt(ops.channel, o)}`;
    const known = numbers.get(key);
    of[o] = known ?? numbers.size;
    if (known === undefined) numbers.set(key, intAt(of, o));
  }
  return new Connections(ops.kind, of, numbers.size);
}
