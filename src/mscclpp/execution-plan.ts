/**
 * An MSCCL++ execution plan as its file says it (docs/mscclpp.md): per gpu thread blocks with operations, channels by
 * their ids, buffers of other gpus. Nothing is resolved or checked beyond its shape; `src/verify-mscclpp` judges it.
 */
import type { SourceRange } from '../ir/diagnostic.ts';
import type { PlanBuffer } from '../ir/plan.ts';
import type { Bytes } from '../ir/units.ts';

export const executionCollectives = [
  'allgather',
  'allreduce',
  'reducescatter',
  'alltoall',
  'sendrecv',
  'test',
  'custom',
] as const;
export type ExecutionCollective = (typeof executionCollectives)[number];

/** Channels between two gpus; the switch channels of groups are listed apart. */
export const pairChannelTypes = ['memory', 'port'] as const;
export type PairChannelType = (typeof pairChannelTypes)[number];
export type ChannelType = PairChannelType | 'switch';

/** What the runtime's fixed tables have room for (docs/mscclpp.md). */
export const executionLimits = {
  /** Operations of a block, bodies of pipelines counted. */
  operations: 64,
  /** Channels of each type, and remote buffers of each, that a block may use. */
  channels: 16,
  /** Channels, semaphores, and sources or targets, of one operation. */
  operationChannels: 8,
  semaphores: 16,
  operands: 10,
  barriers: 16,
  /** Of a block. */
  threads: 1024,
} as const;

/** Operations that the runtime knows; a file may name others. */
export const executionOperations = [
  'nop',
  'barrier',
  'signal',
  'wait',
  'rlxsignal',
  'rlxwait',
  'flush',
  'sem_acquire',
  'sem_release',
  'put',
  'pws',
  'pwsf',
  'get',
  'copy',
  're',
  'res',
  'rre',
  'rres',
  'ppkt',
  'rppkt',
  'cpkt',
  'upkt',
  'repkt',
  'respkt',
  'recpkt',
  'recspkt',
  'glres',
  'gstore',
  'gstorepkt',
  'pipeline',
] as const;
export type ExecutionOperationName = (typeof executionOperations)[number];

/** Chunks of one buffer that an operation reads or writes. */
export interface ChunkReference {
  readonly place:
    | { readonly kind: 'local'; readonly buffer: PlanBuffer }
    /** Position in the block's list of remote buffers of the operation's channel type. */
    | { readonly kind: 'remote'; readonly id: number }
    /** Position in the block's list of switch channels. */
    | { readonly kind: 'switch'; readonly id: number };
  /** First chunk. */
  readonly index: number;
  /** Chunks. */
  readonly size: number;
}

export interface ExecutionOperation {
  /** One of `executionOperations` in files that the runtime takes. */
  readonly name: string;
  readonly sources: readonly ChunkReference[];
  readonly targets: readonly ChunkReference[];
  readonly channelType: ChannelType | undefined;
  /** Positions in the block's list of channels of that type. */
  readonly channels: readonly number[];
  /** Which part of its bytes the block takes of a group of blocks. */
  readonly share: { readonly block: number; readonly blocks: number } | undefined;
  readonly barrier: { readonly id: number; readonly blocks: number } | undefined;
  readonly semaphores: readonly number[];
  /** What a `pipeline` repeats, `unit` bytes of `chunks` chunks at a time. */
  readonly loop:
    | { readonly unit: Bytes; readonly chunks: number; readonly operations: readonly ExecutionOperation[] }
    | undefined;
  readonly range: SourceRange;
}

export interface ExecutionBlock {
  readonly id: number;
  readonly operations: readonly ExecutionOperation[];
  /** Ids of the gpu's channels that the block uses, by type. */
  readonly channels: Readonly<Record<ChannelType, readonly number[]>>;
  /** Ids of the gpu's remote buffers that the block uses, by how it gets at them. */
  readonly remoteBuffers: Readonly<Record<PairChannelType, readonly number[]>>;
  readonly range: SourceRange;
}

/** Memory of several gpus behind one address: what is stored there goes to all, what is loaded is their sum. */
export interface SwitchChannel {
  readonly buffer: PlanBuffer;
  readonly ranks: readonly number[];
}

export interface RemoteBuffer {
  readonly rank: number;
  readonly buffer: PlanBuffer;
  readonly access: readonly PairChannelType[];
}

export interface ExecutionGpu {
  readonly id: number;
  /** Chunks of each buffer. */
  readonly chunks: Readonly<Record<PlanBuffer, number>>;
  readonly blocks: readonly ExecutionBlock[];
  /** The gpu at the other end of each channel, by channel id. */
  readonly channels: Readonly<Record<PairChannelType, readonly number[]>>;
  readonly switches: readonly SwitchChannel[];
  readonly remoteBuffers: readonly RemoteBuffer[];
  /** Initial values. */
  readonly semaphores: readonly number[];
  readonly range: SourceRange;
}

export interface ExecutionPlan {
  readonly name: string;
  readonly collective: ExecutionCollective;
  readonly protocol: 'Simple' | 'LL';
  readonly inPlace: boolean;
  /** Scratch is the runtime's own piece of fixed size, which pipelines use again and again. */
  readonly reuseResources: boolean;
  readonly doubleScratch: boolean;
  readonly threadsPerBlock: number;
  /** Messages are multiples of it, shares of blocks are counted in it. */
  readonly alignment: Bytes;
  /** Both ends included. */
  readonly messages: { readonly least: Bytes; readonly most: Bytes };
  readonly gpus: readonly ExecutionGpu[];
  readonly range: SourceRange;
}
