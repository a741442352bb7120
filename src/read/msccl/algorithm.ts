/** An MSCCL algorithm as its file states it: gpus, thread blocks, steps. */
import type { SourceRange } from '../../ir/diagnostic.ts';
import type { PlanBuffer, Slice } from '../../ir/plan.ts';
import type { Bytes } from '../../ir/units.ts';
import type { XmlElement } from '../xml.ts';

/**
 * What a step does: send, receive, receive and forward (`rcs`), receive, reduce and forward without writing (`rrs`),
 * receive and reduce (`rrc`), that and forward (`rrcs`), copy, reduce, nothing but wait.
 */
export const stepTypes = ['s', 'r', 'rcs', 'rrs', 'rrc', 'rrcs', 'cpy', 're', 'nop'] as const;
export type MscclStepType = (typeof stepTypes)[number];

/** Which operands and peers each type uses; what a step says of others means nothing. */
export const stepFacts: Readonly<
  Record<
    MscclStepType,
    { readonly source: boolean; readonly target: boolean; readonly sends: boolean; readonly receives: boolean }
  >
> = {
  s: { source: true, target: false, sends: true, receives: false },
  r: { source: false, target: true, sends: false, receives: true },
  rcs: { source: false, target: true, sends: true, receives: true },
  rrs: { source: true, target: false, sends: true, receives: true },
  rrc: { source: true, target: true, sends: false, receives: true },
  rrcs: { source: true, target: true, sends: true, receives: true },
  cpy: { source: true, target: true, sends: false, receives: false },
  re: { source: true, target: true, sends: false, receives: false },
  nop: { source: false, target: false, sends: false, receives: false },
};

export interface MscclStep {
  readonly type: MscclStepType;
  readonly rank: number;
  /** Id of its thread block. */
  readonly block: number;
  /** Position in its thread block. */
  readonly index: number;
  readonly source: Slice | undefined;
  readonly target: Slice | undefined;
  /** The step of another thread block that it waits for. */
  readonly wait: { readonly block: number; readonly step: number } | undefined;
  /** Others may wait for it (`hasdep`). */
  readonly publishes: boolean;
  readonly element: XmlElement;
}

export interface MscclThreadBlock {
  readonly id: number;
  /** Peers, −1 for none. */
  readonly send: number;
  readonly receive: number;
  readonly channel: number;
  readonly steps: MscclStep[];
  readonly range: SourceRange;
}

export interface MscclGpu {
  readonly id: number;
  /** Chunks that the file declares. */
  readonly declared: Readonly<Record<PlanBuffer, number>>;
  /** By id, in the order they stand in. */
  readonly blocks: Map<number, MscclThreadBlock>;
  readonly range: SourceRange;
}

export const protocols = ['Simple', 'LL', 'LL128'] as const;
export type MscclProtocol = (typeof protocols)[number];

/** Collectives as the format spells them. */
export const spellings = [
  ...['reduce', 'broadcast', 'allreduce', 'reducescatter', 'reduce_scatter', 'allgather', 'gather', 'scatter'],
  ...['alltoall', 'alltoallv', 'send', 'recv', 'custom'],
] as const;

export interface MscclAlgorithm {
  readonly name: string;
  readonly protocol: MscclProtocol;
  readonly collective: string;
  readonly ranks: number;
  readonly channels: number;
  /** Chunks that one pass divides the message into. */
  readonly chunksPerLoop: number;
  readonly inPlace: boolean;
  readonly outOfPlace: boolean;
  /** M that runtimes take it for, both ends included. */
  readonly messages: { readonly least: Bytes; readonly most: Bytes };
  /** Attributes that runtimes demand and the file does not have. */
  readonly missing: readonly string[];
  /** By rank. */
  readonly gpus: readonly MscclGpu[];
  readonly steps: number;
  /** The `<algo>` tag, for errors about the whole. */
  readonly element: XmlElement;
}
