/**
 * The contents of an MSCCL++ execution plan file (docs/mscclpp.md): for each gpu, thread blocks with operations, channels by their ids, and buffers
 * of other gpus. Nothing is resolved, and only the shape of the document is checked; `check/` verifies the rest.
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

/** Types of channels between two gpus. The switch channels of groups are listed separately. */
export const pairChannelTypes = ['memory', 'port'] as const;
export type PairChannelType = (typeof pairChannelTypes)[number];
export type ChannelType = PairChannelType | 'switch';

/** Sizes of the runtime's fixed tables (docs/mscclpp.md). */
export const executionLimits = {
  /** Operations of a block, including those in the bodies of pipelines. */
  operations: 64,
  /** Channels of each type, and remote buffers of each type, that a block may use. */
  channels: 16,
  /** Channels, semaphores, and sources or targets, of one operation. */
  operationChannels: 8,
  semaphores: 16,
  operands: 10,
  barriers: 16,
  /** Threads of a block. */
  threads: 1024,
} as const;

/** Operations that the runtime implements; a file may name others. */
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
  /** The body that a `pipeline` repeats: each iteration processes `unit` bytes of a range of `chunks` chunks. */
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
  /** Ids of the gpu's remote buffers that the block uses, by the type of channel over which it accesses them. */
  readonly remoteBuffers: Readonly<Record<PairChannelType, readonly number[]>>;
  readonly range: SourceRange;
}

/** Memory of several gpus behind one address (multimem): a store goes to all of them, a load returns their sum. */
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
  /** Initial values of the gpu's semaphores. */
  readonly semaphores: readonly number[];
  readonly range: SourceRange;
}

export interface ExecutionPlan {
  readonly name: string;
  readonly collective: ExecutionCollective;
  readonly protocol: 'Simple' | 'LL';
  readonly inPlace: boolean;
  /** Whether scratch is the runtime's own memory of fixed size, which pipelines reuse in every iteration. */
  readonly reuseResources: boolean;
  readonly doubleScratch: boolean;
  readonly threadsPerBlock: number;
  /** Unit of message sizes and of the shares of thread blocks. */
  readonly alignment: Bytes;
  /** Range of message sizes that the file serves, both ends included. */
  readonly messages: { readonly least: Bytes; readonly most: Bytes };
  readonly gpus: readonly ExecutionGpu[];
  readonly range: SourceRange;
}
