/** Converts dumps of other tools to topology files like those that a person would write. */
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import { defaultLimits } from '../../ir/limits.ts';
import type { ReadOptions } from '../options.ts';
import { isAstraNetwork, readAstraNetwork } from './astra-sim.ts';
import { type MachineDocument, writeMachine } from './document.ts';
import { Hardware } from './hardware.ts';
import { machineFromBoxes } from './machine.ts';
import { isSmiTable, readSmiTable } from './nvidia-smi.ts';
import type { LinkChoice } from './reduce.ts';
import { isScclTopology, readScclTopology } from './sccl.ts';

export type { LinkChoice } from './reduce.ts';

/** Facts that a dump does not contain. */
export interface DumpOptions extends ReadOptions {
  /** A row of hardware/interconnects.yaml, for `nvidia-smi topo -m`: `h100`. */
  readonly gpu?: string | undefined;
  /** So many such hosts on a switch over their NICs; 1 if left out. */
  readonly boxes?: number | undefined;
  /** `nvlink` if left out: PCIe only where NVLink or XGMI does not join all GPUs. */
  readonly links?: LinkChoice | undefined;
}

/** The formats of dumps by their names in messages. */
export const dumpKinds = {
  nccl: 'a topology of NCCL or RCCL (XML)',
  smi: 'nvidia-smi topo -m',
  astra: "ASTRA-sim's network (YAML)",
  sccl: "SCCL's topology (JSON)",
} as const;
export type DumpKind = keyof typeof dumpKinds;

/** Which of them a text is; XML counts as one only where `<system>` is outermost, unless only a machine can be meant. */
export function dumpKindOf(source: SourceText, onlyMachine = false): DumpKind | undefined {
  const { text } = source;
  if (/^\s*</.test(text)) return onlyMachine || /<system[\s>/]/.test(text.slice(0, 20_000)) ? 'nccl' : undefined;
  if (isScclTopology(source)) return 'sccl';
  if (isSmiTable(source)) return 'smi';
  return isAstraNetwork(source) ? 'astra' : undefined;
}

/**
 * Converts a dump to the text of a topology file.
 * @throws CccError those of the format's reader; 'usage' for options that mean nothing to it
 */
export async function convertDump(source: SourceText, kind: DumpKind, options: DumpOptions): Promise<SourceText> {
  checkOptions(kind, options);
  const document = await documentOf(source, kind, options);
  return { name: `${source.name} as a topology`, text: writeMachine(document) };
}

async function documentOf(source: SourceText, kind: DumpKind, options: DumpOptions): Promise<MachineDocument> {
  const { limits = defaultLimits, links = 'nvlink', boxes = 1, gpu } = options;
  if (kind === 'astra') return readAstraNetwork(source, limits);
  if (kind === 'sccl') return readScclTopology(source, limits);
  const hardware = new Hardware();
  if (kind === 'smi') return machineFromBoxes(readSmiTable(source, limits, hardware, gpu), { links, boxes }, hardware);
  // The XML parser is loaded only for XML.
  const { readNcclTopology } = await import('./nccl-topology.ts');
  return machineFromBoxes(readNcclTopology(source, limits, hardware), { links, boxes }, hardware);
}

function checkOptions(kind: DumpKind, { gpu, boxes, links }: DumpOptions): void {
  const isHost = kind === 'nccl' || kind === 'smi';
  const idle = [
    ...(gpu !== undefined && kind !== 'smi' ? ['--gpu'] : []),
    ...(boxes !== undefined && !isHost ? ['--boxes'] : []),
    ...(links !== undefined && !isHost ? ['--links'] : []),
  ];
  if (idle.length > 0) throw new CccError('usage', `${idle[0]} means nothing to ${dumpKinds[kind]}`);
}
