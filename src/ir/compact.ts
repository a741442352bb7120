/**
 * Compact plans, for machines whose full plan would not fit into memory: where every chip sees the same links, all ranks can run the same program,
 * shifted. Ranks are mixed-radix coordinates, last axis fastest, added axis by axis (`TranslationGroup`).
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

/** A family of links, one for each rank r, from r to r ⊕ offset (a generator of a Cayley graph). */
export interface Generator {
  /** The rank that rank 0's link leads to; never 0. */
  readonly offset: number;
  readonly latency: Seconds;
  readonly bandwidth: BytesPerSecond;
  readonly occupancy: OccupancyRule;
  readonly units: number;
}

/** A machine without switches that looks the same from every chip, described by the links and engines of one chip. */
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
 * The program of rank 0, in the tables of a plan with only this program. Rank r runs it with each peer p replaced by r ⊕ p and, in buffers of N·C
 * chunks, each shard i replaced by r ⊕ i; a slice of such a buffer lies within one shard. What holds for rank 0 therefore holds, shifted, for every
 * rank.
 */
export interface CompactPlan extends Omit<Plan, 'firstLane' | 'buffers' | 'rounds'> {
  readonly shape: readonly number[];
  /**
   * For an allreduce: true if its buffers are N shards of C/N chunks, which are shifted like the peers; otherwise chunk numbers are the same on all
   * ranks.
   */
  readonly sharded: boolean;
  /** The buffers of every rank. */
  readonly buffers: ProgramBuffers;
}

/**
 * How the shards of an allgather reach rank 0, as rows sorted by step, generator, shard and chunk. A chunk of shard z comes over a generator from
 * rank ⊖offset, to which it is a chunk of shard z ⊕ offset and which had it before the step.
 */
export interface InTree {
  readonly stepCount: number;
  /** Rows of step s (from 0) over generator g of G: `firstRow[s · G + g] … firstRow[s · G + g + 1] − 1`. */
  readonly firstRow: Int32Array;
  readonly shard: Int32Array;
  readonly chunk: Int32Array;
}

/**
 * The routes of rank 0's items in an alltoall. Item rank · parts + part is that part of the shard for the rank. In each stage an item moves `hops`
 * links over one generator; generator −1 means that it rests.
 */
export interface StagedRoutes {
  readonly parts: number;
  readonly stages: readonly { readonly generator: Int8Array; readonly hops: Int32Array }[];
}

/** How the values of some ranks (those of a line, or all) reach rank 0, which then reduces them. */
export interface GatherThenReduce {
  /** The tree, layer by layer. Its shards are indices of `rankOf`, its generators indices of `over`. */
  readonly tree: InTree;
  /** By generator of the tree, the generator of the machine. */
  readonly over: readonly number[];
  /** By index of a participating rank, the rank. */
  readonly rankOf: Int32Array;
}

/** Max number of ranks of a compact plan, unless the user raises the limit for all plans: four million take about a gigabyte. */
export const maxCompactRanks = 2 ** 22;

/** Whether a buffer has one shard per rank, so that a shift of ranks shifts its shards: input of N·C chunks, or output. */
export function isShifted({ kind }: Collective, buffer: PlanBuffer): boolean {
  if (!collectiveFacts[kind].sharded || buffer === 'scratch') return false;
  return kind === 'alltoall' || (buffer === 'output') === (kind === 'allgather');
}

/** Chunks per shard of a buffer whose shards shift with the rank; undefined if chunk numbers of the buffer are the same on all ranks. */
export function shiftedShard(
  { collective, sharded }: Pick<CompactPlan, 'collective' | 'sharded'>,
  buffer: PlanBuffer,
): number | undefined {
  const { kind, ranks, chunks } = collective;
  if (kind === 'allreduce') return sharded && buffer !== 'scratch' ? chunks / ranks : undefined;
  return isShifted(collective, buffer) ? chunks : undefined;
}

/** Turns a plan that has only the program of rank 0 into a compact plan. */
export function compactPlan(
  { firstLane: _, buffers, rounds: _rounds, ...tables }: Plan,
  shape: readonly number[],
  sharded = false,
): CompactPlan {
  return { ...tables, shape, sharded, buffers: itemAt(buffers, 0) };
}

/**
 * The program of rank 0 as a plan with one program, for code that analyses one program at a time; its peers and shards are offsets from the rank that
 * runs it.
 */
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
