/** Reads the NVLink, XGMI and C2C links that the GPUs of an NCCL topology list. */
import { CccError } from '../../ir/diagnostic.ts';
import type { XmlElement } from '../xml.ts';
import type { Figure, Hardware } from './hardware.ts';
import { gigabytes, type HostBuilder } from './host.ts';

/** A GPU in an NCCL topology file. */
export interface NcclGpu {
  readonly node: number;
  /** The node at which its NVLinks end: its own node, or the node that it shares with the other GPUs of its PCIe function. */
  readonly linkNode: number;
  readonly device: number;
  /** The node of the processor that the GPU is attached to. */
  readonly cpu: number;
  readonly busId: string;
  /** The GPU's PCIe function. GPUs with the same function (partitions of one GPU) share its links. */
  readonly function: string;
  /** Its `<gpu>` tag. */
  readonly element: XmlElement;
  /** The tags of its links; empty if another GPU of the same PCIe function holds them. */
  readonly linkTags: readonly XmlElement[];
  /** Total number of NVLinks or XGMI links, counted while the file is read. */
  links: number;
}

/** The links to one target that one GPU lists; the counts of several entries for one target are added. */
interface Told {
  count: number;
  bandwidth: number;
  called: string;
  /** Bandwidth of each link in GB/s and the architecture, as text. */
  each: string;
}

/**
 * Adds the links of all GPUs to the host.
 * @returns the number of links that lead to GPUs that are not in the file
 * @throws CccError 'schema' for links with unknown names or classes
 */
export function addGpuLinks(gpus: readonly NcclGpu[], host: HostBuilder, hardware: Hardware): number {
  const reader = new LinkReader(gpus, host, hardware);
  for (const gpu of gpus) reader.read(gpu);
  reader.joinGpus();
  reader.joinSwitch();
  return reader.unknownGpus;
}

class LinkReader {
  unknownGpus = 0;
  private readonly gpus: readonly NcclGpu[];
  private readonly host: HostBuilder;
  private readonly hardware: Hardware;
  private readonly byBus: ReadonlyMap<string, NcclGpu>;
  /** The links that each GPU lists, by GPU and then by target: another GPU, or `switch`, since NCCL treats all NVSwitches as one. */
  private readonly told = new Map<NcclGpu, Map<NcclGpu | 'switch', Told>>();

  constructor(gpus: readonly NcclGpu[], host: HostBuilder, hardware: Hardware) {
    this.gpus = gpus;
    this.host = host;
    this.hardware = hardware;
    this.byBus = new Map(gpus.toReversed().map((gpu) => [gpu.busId, gpu]));
  }

  read(gpu: NcclGpu): void {
    this.told.set(gpu, new Map());
    for (const element of gpu.linkTags) {
      const { name } = element;
      if (name === 'c2c') this.addC2c(gpu, element);
      else if (name === 'nvlink') this.addFast(gpu, element, 'NVLink', this.nvlinkFigure(gpu.element));
      else if (name === 'xgmi')
        this.addFast(gpu, element, 'XGMI', this.hardware.xgmi(architectureOf(gpu.element) ?? 'gfx'));
      else throw new CccError('schema', `<${name}> is no link of a GPU: there are nvlink, xgmi and c2c`, element.range);
    }
  }

  /** Adds the links between GPUs. Each of the two GPUs lists the links in its own direction. */
  joinGpus(): void {
    for (const [index, a] of this.gpus.entries()) {
      for (const b of this.gpus.slice(index + 1)) {
        const there = this.told.get(a)?.get(b);
        const back = this.told.get(b)?.get(a);
        const any = there ?? back;
        if (any === undefined) continue;
        this.host.join({
          ...{ a: a.linkNode, b: b.linkNode, kind: 'nvlink', called: any.called, of: wordsOf(any) },
          there: there?.bandwidth ?? 0,
          back: back?.bandwidth ?? 0,
          units: Math.max(there?.count ?? 0, back?.count ?? 0),
        });
      }
    }
  }

  joinSwitch(): void {
    let fabric: number | undefined;
    for (const gpu of this.gpus) {
      const told = this.told.get(gpu)?.get('switch');
      if (told === undefined) continue;
      fabric ??= this.host.add('nvswitch');
      this.host.duplex('nvlink', gpu.linkNode, fabric, { bandwidth: told.bandwidth, of: wordsOf(told) }, told.called);
    }
  }

  private addFast(gpu: NcclGpu, element: XmlElement, called: string, figure: Figure): void {
    const count = element.integer('count', 1, 1024);
    const tclass = element.text('tclass').toLowerCase();
    const each = `${gigabytes(figure.bandwidth)} (${figure.of})`;
    const bandwidth = count * figure.bandwidth;
    if (tclass.startsWith('0x068001')) {
      this.host.duplex('c2c', gpu.linkNode, gpu.cpu, { bandwidth, of: wordsOf({ count, called, each }) }, called);
      return;
    }
    const target = this.targetOf(gpu, element, tclass);
    gpu.links += count;
    if (target === undefined) {
      this.unknownGpus++;
      return;
    }
    const links = this.told.get(gpu);
    const before = links?.get(target);
    links?.set(target, {
      called,
      each,
      count: count + (before?.count ?? 0),
      bandwidth: bandwidth + (before?.bandwidth ?? 0),
    });
  }

  /** Returns the node that a link leads to, or undefined if that GPU is not in the file. @throws CccError 'schema' */
  private targetOf(gpu: NcclGpu, element: XmlElement, tclass: string): NcclGpu | 'switch' | undefined {
    if (tclass.startsWith('0x0680')) return 'switch';
    if (!/^0x(?:03|12)/.test(tclass)) {
      const expected = 'the class of a GPU (0x03, 0x12), an NVSwitch (0x068000) or a processor (0x068001)';
      throw element.malformed('tclass', `expected ${expected}, found '${tclass}'`);
    }
    const target = this.byBus.get(element.text('target').toLowerCase());
    if (target === gpu) throw element.malformed('target', 'a link from a GPU to itself');
    return target;
  }

  /** Returns the bandwidth of one NVLink. @throws CccError 'schema' if the GPU does not state its compute capability */
  private nvlinkFigure(gpu: XmlElement): Figure {
    const figure = this.hardware.nvlink(gpu.integer('sm', 0, 1000));
    if (figure === undefined) throw gpu.malformed('sm', `GPUs of compute capability ${gpu.text('sm')} have no NVLinks`);
    return figure;
  }

  private addC2c(gpu: NcclGpu, element: XmlElement): void {
    const count = element.integer('count', 1, 1024);
    const each = element.integer('bw', 1) * 1e6;
    const of = wordsOf({ count, called: 'C2C', each: gigabytes(each) });
    this.host.duplex('c2c', gpu.linkNode, gpu.cpu, { bandwidth: count * each, of }, 'C2C');
  }
}

/** Says where a bandwidth comes from: `2 XGMI links of 36 GB/s (gfx90a)`. */
function wordsOf({ count, called, each }: Pick<Told, 'count' | 'called' | 'each'>): string {
  return `${count === 1 ? 'one' : count} ${called} link${count === 1 ? '' : 's'} of ${each}`;
}

/** Returns the architecture of a GPU: `gfx90a`, `sm 90`. Files write AMD architectures as `910`, `gfx90a` or `gfx90a:sramecc+:xnack-`. */
export function architectureOf(gpu: XmlElement): string | undefined {
  const gcn = gpu.optional('gcn');
  if (gcn === undefined) return gpu.has('sm') ? `sm ${gpu.text('sm')}` : undefined;
  const [arch] = gcn.split(':');
  if (arch === '910') return 'gfx90a';
  return /^\d+$/.test(arch) ? `gfx${arch}` : arch;
}
