/** MSCCL's format as it is written: thread blocks and their steps, and what the runtimes that read it can take. */
import type { CollectiveKind } from '../../ir/collective.ts';
import type { Slice } from '../../ir/plan.ts';

/**
 * What a step does: send, receive, receive and forward (`rcs`), receive, reduce and forward without writing (`rrs`), receive
 * and reduce (`rrc`), that and forward (`rrcs`), copy, reduce, nothing but wait.
 */
export type EmittedStepType = 's' | 'r' | 'rcs' | 'rrs' | 'rrc' | 'rrcs' | 'cpy' | 're' | 'nop';

export interface EmittedStep {
  readonly type: EmittedStepType;
  /** What is read locally; of reductions on arrival the slot that is added to. */
  readonly source: Slice | undefined;
  readonly target: Slice | undefined;
  /** The step of another thread block that must be finished first. */
  readonly wait: { readonly block: number; readonly step: number } | undefined;
}

/** Which connections a thread block serves: peers, −1 for none. */
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

/** What a family of runtimes reads. */
export interface MscclProfile {
  readonly name: string;
  /** Whether it knows rcs, rrs and rrcs. */
  readonly fuses: boolean;
  readonly mostSteps: number;
  readonly mostBlocks: number;
  readonly spelling: Partial<Readonly<Record<CollectiveKind, string>>>;
}

/** Transfers that a connection holds under each protocol. */
export const depths = { Simple: 2, LL: 8, LL128: 8 } as const;
export type EmittedProtocol = keyof typeof depths;
/** The least of them: what runs with so many runs with more. */
export const channelDepth = depths.Simple;

/** The runtimes' name of a machine's protocol; Simple where they have none of that name. */
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

/** The original runtime and its converters; as many thread blocks as an A100 has multiprocessors. */
export const legacy: MscclProfile = {
  name: 'msccl-xml',
  fuses: true,
  mostSteps: 256,
  mostBlocks: 108,
  spelling: { ...common, reducescatter: 'reduce_scatter' },
};

/** RCCL from ROCm 6.1, which refuses fused steps that forward. */
export const rccl: MscclProfile = {
  name: 'msccl-xml-rccl',
  fuses: false,
  mostSteps: 64,
  mostBlocks: 64,
  spelling: { ...common, reducescatter: 'reducescatter', gather: 'gather', scatter: 'scatter' },
};
