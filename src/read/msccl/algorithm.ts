/** An MSCCL algorithm as its file has it: GPUs, thread blocks, steps. */
import type { SourceRange } from '../../ir/diagnostic.ts';
import type { PlanBuffer, Slice } from '../../ir/plan.ts';
import type { Bytes } from '../../ir/units.ts';
import type { XmlElement } from '../xml.ts';

/**
 * The types of steps: send (`s`), receive (`r`), receive and forward (`rcs`), receive, reduce and forward without writing (`rrs`), receive and
 * reduce (`rrc`), receive, reduce and forward (`rrcs`), copy (`cpy`), reduce (`re`), and only wait (`nop`).
 */
export const stepTypes = ['s', 'r', 'rcs', 'rrs', 'rrc', 'rrcs', 'cpy', 're', 'nop'] as const;
export type MscclStepType = (typeof stepTypes)[number];

/** The operands and peers that each type of step uses; its other attributes have no meaning. */
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
  /** The id of the step's thread block. */
  readonly block: number;
  /** The step's position in its thread block. */
  readonly index: number;
  readonly source: Slice | undefined;
  readonly target: Slice | undefined;
  /** The step of another thread block for which it waits. */
  readonly wait: { readonly block: number; readonly step: number } | undefined;
  /** Whether steps of other thread blocks may wait for it (`hasdep`). */
  readonly publishes: boolean;
  readonly element: XmlElement;
}

export interface MscclThreadBlock {
  readonly id: number;
  /** The peers for sending and receiving; −1 for none. */
  readonly send: number;
  readonly receive: number;
  readonly channel: number;
  readonly steps: MscclStep[];
  readonly range: SourceRange;
}

export interface MscclGpu {
  readonly id: number;
  /** The sizes of the buffers in chunks, as the file declares them. */
  readonly declared: Readonly<Record<PlanBuffer, number>>;
  /** Thread blocks by id, in the order of the file. */
  readonly blocks: Map<number, MscclThreadBlock>;
  readonly range: SourceRange;
}

export const protocols = ['Simple', 'LL', 'LL128'] as const;
export type MscclProtocol = (typeof protocols)[number];

/** The format's names of collectives. */
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
  /** The number of chunks into which one pass divides the message. */
  readonly chunksPerLoop: number;
  readonly inPlace: boolean;
  readonly outOfPlace: boolean;
  /** The range of sizes M for which runtimes use the algorithm, both ends included. */
  readonly messages: { readonly least: Bytes; readonly most: Bytes };
  /** Attributes that runtimes require and that the file lacks. */
  readonly missing: readonly string[];
  /** By rank. */
  readonly gpus: readonly MscclGpu[];
  readonly steps: number;
  /** The place of the `<algo>` tag, for errors about the whole file. */
  readonly element: XmlElement;
}
