/** The MSCCL format as it is written: thread blocks and their steps, and the limits of the runtimes that read it. */
import type { CollectiveKind } from '../../ir/collective.ts';
import type { Slice } from '../../ir/plan.ts';

/**
 * The type of a step: send, receive, receive and forward (`rcs`), receive, reduce and forward without writing (`rrs`), receive and reduce (`rrc`),
 * receive, reduce and forward (`rrcs`), copy, reduce, and only wait (`nop`).
 */
export type EmittedStepType = 's' | 'r' | 'rcs' | 'rrs' | 'rrc' | 'rrcs' | 'cpy' | 're' | 'nop';

export interface EmittedStep {
  readonly type: EmittedStepType;
  /** The slice that is read locally; for reductions on arrival the slice that is updated. */
  readonly source: Slice | undefined;
  readonly target: Slice | undefined;
  /** The step of another thread block that must finish first. */
  readonly wait: { readonly block: number; readonly step: number } | undefined;
}

/** The peers with which a thread block communicates; −1 for none. */
export interface BlockEnds {
  readonly send: number;
  readonly receive: number;
  readonly channel: number;
}

export interface EmittedThreadBlock extends BlockEnds {
  readonly steps: readonly EmittedStep[];
  /** Indices of the steps that others wait for. */
  readonly published: ReadonlySet<number>;
}

/** The thread blocks of one rank, by id. */
export interface EmittedGpu {
  readonly blocks: readonly EmittedThreadBlock[];
}

/** The capabilities of a family of runtimes. */
export interface MscclProfile {
  readonly name: string;
  /** Whether the runtimes support rcs, rrs and rrcs. */
  readonly fuses: boolean;
  readonly mostSteps: number;
  readonly mostBlocks: number;
  readonly spelling: Partial<Readonly<Record<CollectiveKind, string>>>;
}

/** Messages that a connection buffers under each protocol. */
export const depths = { Simple: 2, LL: 8, LL128: 8 } as const;
export type EmittedProtocol = keyof typeof depths;
/** The minimum of these depths: what runs with so many buffers runs with more. */
export const channelDepth = depths.Simple;

/** The runtimes' name of a machine's protocol; Simple if they have none of that name. */
export function emittedProtocolName(name: string | undefined): EmittedProtocol {
  const names: readonly EmittedProtocol[] = ['Simple', 'LL', 'LL128'];
  return names.find((known) => known.toLowerCase() === name?.toLowerCase()) ?? 'Simple';
}

const common = {
  allgather: 'allgather',
  allreduce: 'allreduce',
  alltoall: 'alltoall',
  broadcast: 'broadcast',
  reduce: 'reduce',
} as const;

/** The original runtime and its converters. The number of thread blocks is that of the multiprocessors of an A100. */
export const legacy: MscclProfile = {
  name: 'msccl-xml',
  fuses: true,
  mostSteps: 256,
  mostBlocks: 108,
  spelling: { ...common, reducescatter: 'reduce_scatter' },
};

/** RCCL from ROCm 6.1 on, which rejects fused steps that forward. */
export const rccl: MscclProfile = {
  name: 'msccl-xml-rccl',
  fuses: false,
  mostSteps: 64,
  mostBlocks: 64,
  spelling: { ...common, reducescatter: 'reducescatter', gather: 'gather', scatter: 'scatter' },
};
