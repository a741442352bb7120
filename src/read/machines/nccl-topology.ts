/**
 * The XML in which NCCL and RCCL write the topology of a host (`NCCL_TOPO_DUMP_FILE`): processors, below them PCIe trees with GPUs and NICs, and
 * in each GPU its NVLink, XGMI or C2C links. Bandwidths are made of it as those libraries do.
 */
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import type { Limits } from '../../ir/limits.ts';
import { counted } from '../../ir/units.ts';
import { readXmlTree, type XmlElement, type XmlNode } from '../xml.ts';
import { fileName, nameFromFile } from './document.ts';
import type { Figure, Hardware } from './hardware.ts';
import { type Host, HostBuilder } from './host.ts';
import { addGpuLinks, architectureOf, type NcclGpu } from './nccl-links.ts';

/** What else may stand in an XML file that somebody takes for a machine, by its outermost element. */
const others: Readonly<Record<string, string>> = {
  algo: 'an MSCCL algorithm, not a machine: ccc verify takes it',
  graphs: 'what NCCL made of a machine (NCCL_GRAPH_DUMP_FILE), not the machine: NCCL_TOPO_DUMP_FILE writes that',
  topology: "hwloc's topology, which has no bandwidths: NCCL_TOPO_DUMP_FILE writes one that says more",
};

/** Inside the switch between NICs of a processor and itself, and between halves of a PCIe switch, NCCL knows no limit. */
const local: Figure = { bandwidth: 5e12, of: 'no limit that NCCL knows of' };

/** Megabits per second that a NIC has which does not say it. */
const assumedSpeed = 10_000;

/** Reads a host. @throws CccError 'syntax', 'schema', 'topology' for a file without GPUs or of several hosts, 'limit' */
export function readNcclTopology(source: SourceText, limits: Limits, hardware: Hardware): Host {
  const root = readXmlTree(source, checkRoot);
  return new SystemReader(source, limits, hardware).read(root);
}

function checkRoot({ name, range }: XmlElement): void {
  if (name === 'system') return;
  const what = others[name] ?? `<${name}>, which is no machine`;
  throw new CccError('schema', `expected <system>, a topology of NCCL or RCCL; this is ${what}`, range);
}

class SystemReader {
  private readonly source: SourceText;
  private readonly hardware: Hardware;
  private readonly host: HostBuilder;
  private readonly gpus: NcclGpu[] = [];
  private readonly nics = new Map<
    string,
    { readonly node: number; megabits: number; ports: number; readonly seen: Set<string> }
  >();
  private readonly switches = new Map<string, number>();
  private readonly pciLinks: { readonly from: number; readonly element: XmlElement }[] = [];
  private devices = 0;

  constructor(source: SourceText, limits: Limits, hardware: Hardware) {
    this.source = source;
    this.hardware = hardware;
    this.host = new HostBuilder(limits.ranks);
  }

  read(system: XmlNode): Host {
    const cpus = system.children.filter(({ element }) => element.name === 'cpu');
    this.checkOneHost(cpus);
    const nodes = cpus.map((cpu) => this.addCpu(cpu));
    if (this.gpus.length === 0) throw this.withoutGpus(system);
    this.checkDevices();
    this.joinCpus(cpus, nodes);
    for (const { from, element } of this.pciLinks) this.joinSwitches(from, element);
    const unknownGpus = addGpuLinks(this.gpus, this.host, this.hardware);
    for (const { node, megabits, ports } of this.nics.values()) {
      const of = `${ports === 1 ? '' : `${ports} ports, `}${megabits / 1000} Gb/s`;
      this.host.uplinks.set(node, { bandwidth: (megabits * 1e6) / 8, of });
    }
    if (unknownGpus > 0) {
      this.host.notes.push(`${counted(unknownGpus, 'link')} to GPUs that the file does not have are left out`);
    }
    const sorted = [...this.gpus].sort((a, b) => a.device - b.device);
    if (sorted.some(({ device }, index) => device !== index)) {
      this.host.notes.push(`gpu 0, 1, … are the devices ${sorted.map(({ device }) => device).join(', ')}`);
    }
    return this.host.build(
      sorted.map(({ node }) => node),
      {
        name: nameFromFile(this.source.name, 'host'),
        readFrom: `the NCCL topology ${fileName(this.source.name)}`,
        gpuName: this.gpuName(),
        source: this.hardware.source,
      },
    );
  }

  /** @throws CccError 'topology' */
  private checkOneHost(cpus: readonly XmlNode[]): void {
    const first = cpus[0]?.element.optional('host_hash');
    const other = cpus.find(({ element }) => element.optional('host_hash') !== first);
    if (other === undefined) return;
    const hosts = new Set(cpus.map(({ element }) => element.optional('host_hash'))).size;
    throw new CccError(
      'topology',
      `the processors of ${hosts} hosts; expected those of one: --boxes n makes several of it`,
      other.element.range,
    );
  }

  private withoutGpus(system: XmlNode): CccError {
    const found =
      this.devices === 0 ? 'no GPU' : `the PCIe places of ${counted(this.devices, 'GPU')}, but no <gpu> tag`;
    const message = `the file has ${found}, so that it does not say what joins GPUs; NCCL_TOPO_DUMP_FILE, set on the machine itself, writes a file that does`;
    return new CccError('topology', message, system.element.range);
  }

  /** @throws CccError 'schema' */
  private checkDevices(): void {
    const seen = new Map<number, NcclGpu>();
    for (const gpu of this.gpus) {
      if (seen.has(gpu.device)) {
        throw new CccError(
          'topology',
          `a second GPU with dev="${gpu.device}": expected the GPUs of one host`,
          gpu.xml.element.range,
        );
      }
      seen.set(gpu.device, gpu);
    }
  }

  private gpuName(): string | undefined {
    const kinds = new Set(this.gpus.map(({ xml }) => architectureOf(xml.element)));
    const [kind] = kinds;
    return kinds.size === 1 ? kind : undefined;
  }

  private addCpu({ element, children }: XmlNode): number {
    const cpu = this.host.add('cpu', element.range);
    for (const child of children) {
      if (child.element.name === 'pci') this.addPci(child, cpu, cpu);
      if (child.element.name === 'nic') this.addNic(child, `cpu ${cpu}`, cpu, local);
    }
    return cpu;
  }

  /** A PCIe device: a switch with what is below it, a GPU or a NIC. */
  private addPci(node: XmlNode, parent: number, cpu: number): void {
    const { element, children } = node;
    const busId = element.text('busid').toLowerCase();
    const figure = this.hardware.pcie(element.optional('link_speed') ?? '', lanesOf(element));
    const gpu = children.find((child) => child.element.name === 'gpu');
    if (gpu !== undefined) {
      const added = this.host.add('gpu', element.range);
      this.gpus.push({ node: added, device: gpu.element.integer('dev', 0, 65_535), cpu, busId, xml: gpu });
      this.host.duplex('pcie', added, parent, figure, 'PCIe');
      return;
    }
    const nic = children.find((child) => child.element.name === 'nic');
    if (nic !== undefined) {
      this.addNic(nic, busId.replace(/.$/, ''), parent, figure);
      return;
    }
    const inner = children.filter((child) => child.element.name === 'pci');
    if (inner.length === 0 && /^0x(?:03|12)/.test(element.optional('class') ?? '')) this.devices++;
    const isLeaf = inner.length === 0 && children.every((child) => child.element.name !== 'pcilink');
    if (isLeaf) return;
    const added = this.host.add('pcie', element.range);
    this.switches.set(busId, added);
    this.host.duplex('pcie', added, parent, figure, 'PCIe');
    for (const child of inner) this.addPci(child, added, cpu);
    for (const child of children)
      if (child.element.name === 'pcilink') this.pciLinks.push({ from: added, element: child.element });
  }

  /** The ports of a device are one NIC. */
  private addNic({ children }: XmlNode, device: string, parent: number, figure: Figure): void {
    for (const { element } of children) {
      if (element.name !== 'net') continue;
      // The ports of a processor's own network devices are devices of their own.
      const key = device.startsWith('cpu') ? `${device} ${element.optional('name') ?? element.text('dev')}` : device;
      let nic = this.nics.get(key);
      if (nic === undefined) {
        nic = { node: this.host.add('nic', element.range), megabits: 0, ports: 0, seen: new Set() };
        this.nics.set(key, nic);
        this.host.duplex('pcie', nic.node, parent, figure, 'PCIe');
      }
      const port = `${element.optional('name')} ${element.optional('port')}`;
      if (nic.seen.has(port)) continue;
      nic.seen.add(port);
      nic.ports++;
      const said = element.has('speed') ? signedInteger(element, 'speed') : 0;
      nic.megabits += said > 0 ? said : assumedSpeed;
    }
  }

  /** Every processor reaches every other. */
  private joinCpus(cpus: readonly XmlNode[], nodes: readonly number[]): void {
    const figures = cpus.map(({ element }) => {
      const number = (name: string): number | undefined =>
        element.has(name) ? signedInteger(element, name) : undefined;
      const [arch, vendor] = [element.optional('arch'), element.optional('vendor')];
      return this.hardware.cpu({ arch, vendor, family: number('familyid'), model: number('modelid') });
    });
    nodes.forEach((a, first) => {
      nodes.slice(first + 1).forEach((b, offset) => {
        const [there, back] = [figures[first], figures[first + 1 + offset]];
        const of = `between processors: ${there.of}`;
        this.host.join({
          a,
          b,
          kind: 'cpu',
          called: 'Processors',
          there: there.bandwidth,
          back: back.bandwidth,
          units: 1,
          of,
        });
      });
    });
  }

  /** @throws CccError 'schema' for a target that is no switch of the file */
  private joinSwitches(from: number, element: XmlElement): void {
    const to = this.switches.get(element.text('target').toLowerCase());
    if (to === undefined) throw element.malformed('target', `no <pci> switch has this busid`);
    if (to > from) this.host.duplex('pcie', from, to, local, 'PCIe');
  }
}

function lanesOf(element: XmlElement): number {
  return element.has('link_width') ? Math.max(0, signedInteger(element, 'link_width')) : 0;
}

function signedInteger(element: XmlElement, attribute: string): number {
  return element.integer(attribute, -(2 ** 31));
}
