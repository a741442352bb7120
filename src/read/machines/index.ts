/** Converts descriptions of machines that other tools write (dumps) to topology files that read as if a person had written them. */
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

/** Facts that a dump does not contain, and choices that it leaves open. */
export interface DumpOptions extends ReadOptions {
  /** Name of a row in hardware/interconnects.yaml, such as `h100`: the output of `nvidia-smi topo -m` does not say what GPUs it is about. */
  readonly gpu?: string | undefined;
  /** Number of such hosts, which a switch joins through their NICs; default 1. */
  readonly boxes?: number | undefined;
  /** Default `nvlink`: PCIe links between GPUs are kept only if NVLink or XGMI does not connect all GPUs. */
  readonly links?: LinkChoice | undefined;
}

/** The formats of dumps, with their names in messages. */
export const dumpKinds = {
  nccl: 'a topology of NCCL or RCCL (XML)',
  smi: 'nvidia-smi topo -m',
  astra: "ASTRA-sim's network (YAML)",
  sccl: "SCCL's topology (JSON)",
} as const;
export type DumpKind = keyof typeof dumpKinds;

/**
 * Recognizes the format of a dump. An XML file counts as an NCCL topology only if its outermost element is `<system>`, unless the caller expects a
 * machine anyway (`onlyMachine`), so that the reader can report what is wrong with the file.
 */
export function dumpKindOf(source: SourceText, onlyMachine = false): DumpKind | undefined {
  const { text } = source;
  if (/^\s*</.test(text)) return onlyMachine || /<system[\s>/]/.test(text.slice(0, 20_000)) ? 'nccl' : undefined;
  if (isScclTopology(source)) return 'sccl';
  if (isSmiTable(source)) return 'smi';
  return isAstraNetwork(source) ? 'astra' : undefined;
}

/**
 * Converts a dump to the text of a topology file.
 * @throws CccError whatever the reader of the format throws; 'usage' for options that do not apply to the format
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
  // This import is dynamic so that the XML parser is loaded only for XML.
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
