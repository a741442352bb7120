/** Machines from dumps, and the small dumps that they are made of. */
import type { SourceText } from '../../../src/ir/diagnostic.ts';
import type { Topology } from '../../../src/ir/topology.ts';
import { convertDump, type DumpOptions, dumpKindOf, resolveTopology } from '../../../src/read/index.ts';

/** The topology file that a dump becomes. */
export async function converted(text: string, options: DumpOptions = {}, name = 'dump.xml'): Promise<SourceText> {
  const source = { name, text };
  const kind = dumpKindOf(source, true);
  if (kind === undefined) throw new Error(`${name} is no dump`);
  return convertDump(source, kind, options);
}

/** The machine that a dump becomes. */
export async function machineOf(text: string, options: DumpOptions = {}, name = 'dump.xml'): Promise<Topology> {
  const source = await converted(text, options, name);
  return resolveTopology('machine.yaml', { read: () => source });
}

/** `gpu 0 > NVSwitch: 370.8` for every link, in GB/s, sorted. */
export function linksOf({ nodes, links }: Topology): string[] {
  return links
    .map(
      ({ from, to, bandwidth }) => `${nodes[from].name} > ${nodes[to].name}: ${Number((bandwidth / 1e9).toFixed(6))}`,
    )
    .sort();
}

/** The same for links that go both ways alike, each pair once. */
export function pairsOf(topology: Topology): string[] {
  const all = linksOf(topology);
  const pairs = topology.links
    .filter(({ from, to }) => from < to)
    .map(({ from, to, bandwidth }) => {
      const rate = Number((bandwidth / 1e9).toFixed(6));
      const names = [from, to].map((node) => topology.nodes[node].name);
      if (!all.includes(`${names[1]} > ${names[0]}: ${rate}`)) throw new Error(`${names.join(' - ')} goes one way`);
      return `${names.join(' - ')}: ${rate}`;
    });
  return pairs.sort();
}

/** An XML of NCCL: processors with what is in them. */
export function system(...cpus: readonly string[]): string {
  return `<system version="1">\n${cpus.join('\n')}\n</system>\n`;
}

export function cpu(attributes: string, ...inside: readonly string[]): string {
  return `<cpu numaid="0" ${attributes}>\n${inside.join('\n')}\n</cpu>`;
}

/** A PCIe device or switch at a place. */
export function pci(bus: string, inside: string, speed = '16 GT/s', width = 16): string {
  return `<pci busid="${bus}" class="0x060400" link_speed="${speed}" link_width="${width}">${inside}</pci>`;
}

export function gpu(dev: number, kind: string, ...links: readonly string[]): string {
  return `<gpu dev="${dev}" ${kind} rank="${dev}" gdr="1">${links.join('')}</gpu>`;
}

export function nic(dev: number, speed: number): string {
  return `<nic><net name="mlx5_${dev}" dev="${dev}" speed="${speed}" port="1" guid="0x${dev}"/></nic>`;
}

export const intel = 'arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="85"';
export const amd = 'arch="x86_64" vendor="AuthenticAMD" familyid="143" modelid="49"';
