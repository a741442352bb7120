/**
 * Reads the XML in which NCCL and RCCL write the topology of a host (`NCCL_TOPO_DUMP_FILE`): processors, below each a PCIe tree with GPUs and NICs,
 * and in each GPU its NVLink, XGMI or C2C links. Bandwidths are derived from it by the rules of these libraries.
 */
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import { DisjointSets } from '../../ir/disjoint-sets.ts';
import type { Limits } from '../../ir/limits.ts';
import { counted } from '../../ir/units.ts';
import { readXmlTree, type XmlElement, type XmlNode } from '../xml.ts';
import { differencesAmong, hopsToNic } from './differences.ts';
import { fileName, nameFromFile } from './document.ts';
import type { Figure, Hardware } from './hardware.ts';
import { gigabytes, HostBuilder, type SystemHost } from './host.ts';
import { addGpuLinks, architectureOf, type NcclGpu } from './nccl-links.ts';

/** Other XML files that users take for a machine, by their outermost element, and what to do with them. */
const others: Readonly<Record<string, string>> = {
  algo: 'an MSCCL algorithm, not a machine: ccc verify takes it',
  graphs: 'what NCCL made of a machine (NCCL_GRAPH_DUMP_FILE), not the machine: NCCL_TOPO_DUMP_FILE writes that',
  topology: "hwloc's topology, which has no bandwidths: NCCL_TOPO_DUMP_FILE writes one that says more",
};

/**
 * NCCL assumes no limit between a processor and NICs that have no place on PCIe, nor between the halves of a PCIe switch; this bandwidth is larger
 * than any real link's.
 */
const local: Figure = { bandwidth: 5e12, of: 'no limit that NCCL knows of' };

/** Speed in Mbit/s of a NIC for which the file states none. */
const assumedSpeed = 10_000;

/**
 * Names of network interfaces that exist in software only. Docker, Kubernetes and hypervisors make them; they send through a physical NIC, so they
 * add no bandwidth.
 */
const virtualInterface = /^(?:br-|docker|veth|virbr|vnet|cali|tunl|flannel|cni|cilium|lxc|kube|dummy|tap|tun|lo$)/;

/**
 * Reads a host, or several hosts with one NVLink domain: where NVLink spans hosts, NCCL writes all of them into one file.
 * @throws CccError 'syntax', 'schema', 'limit', 'topology' for a file without GPUs and for hosts that no NVLink connects
 */
export function readNcclTopology(source: SourceText, limits: Limits, hardware: Hardware): SystemHost {
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
    {
      readonly node: number;
      megabits: number;
      ports: number;
      readonly seen: Set<string>;
      readonly parents: Set<number>;
    }
  >();
  private readonly switches = new Map<string, number>();
  private readonly pciLinks: { readonly from: number; readonly element: XmlElement }[] = [];
  private devices = 0;
  /** By the node of a processor: the host that it belongs to. */
  private readonly hostOf = new Map<number, string>();
  /** By the node of a GPU: a description of its PCIe link. */
  private readonly pcieOf = new Map<number, string>();
  private readonly virtualNics = new Set<string>();
  /** Number of PCIe links whose speed the file does not state, as in virtual machines. */
  private unknownSpeeds = 0;

  constructor(source: SourceText, limits: Limits, hardware: Hardware) {
    this.source = source;
    this.hardware = hardware;
    this.host = new HostBuilder(limits.ranks);
  }

  read(system: XmlNode): SystemHost {
    const cpus = system.children.filter(({ element }) => element.name === 'cpu');
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
    const sorted = this.inRankOrder();
    this.checkJoined(sorted);
    this.host.notes.push(...this.differences(sorted));
    if (this.unknownSpeeds > 0) {
      const { bandwidth } = this.hardware.pcie('', 16);
      const links = counted(this.unknownSpeeds, 'PCIe link');
      this.host.notes.push(`${links} of unknown speed: ${gigabytes(bandwidth)} for 16 lanes is assumed, as NCCL does`);
    }
    if (this.virtualNics.size > 0) {
      const [first] = this.virtualNics;
      const noun = counted(this.virtualNics.size, 'virtual network interface');
      this.host.notes.push(`${noun} (${first}${this.virtualNics.size > 1 ? ' …' : ''}) left out`);
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

  /**
   * Returns the GPUs by NCCL's rank if all have one, since the ranks of a plan are NCCL's ranks; otherwise by device number. A file lists devices in
   * the order of the PCIe bus or of CUDA_VISIBLE_DEVICES, which a launcher may change.
   */
  private inRankOrder(): readonly NcclGpu[] {
    const ranks = new Map(
      this.gpus.flatMap((gpu) => (gpu.element.has('rank') ? [[gpu, gpu.element.integer('rank', 0)] as const] : [])),
    );
    const areRanked = ranks.size === this.gpus.length && new Set(ranks.values()).size === ranks.size;
    const key = (gpu: NcclGpu): number => (areRanked ? ranks.get(gpu) : undefined) ?? gpu.device;
    const sorted = [...this.gpus].sort((a, b) => key(a) - key(b));
    if (sorted.some(({ device }, index) => device !== index)) {
      const devices = sorted.map(({ device }) => device).join(', ');
      const order = areRanked ? `ranks ${sorted.map(key).join(', ')} of NCCL, which are the devices` : 'devices';
      this.host.notes.push(`gpu 0, 1, … are the ${order} ${devices}`);
    }
    return sorted;
  }

  /** Refuses several hosts without a link between them. @throws CccError 'topology' */
  private checkJoined(gpus: readonly NcclGpu[]): void {
    const hosts = [...new Set(gpus.map((gpu) => this.hostOf.get(gpu.cpu)))];
    if (hosts.length < 2) return;
    const nodes = new DisjointSets(this.host.nodes.length);
    for (const { a, b } of this.host.links) nodes.join(a, b);
    const apart = gpus.find(({ node }) => nodes.of(node) !== nodes.of(gpus[0].node));
    if (apart === undefined) {
      this.host.notes.push(`the GPUs of ${hosts.length} hosts, which NVLink joins`);
      return;
    }
    const message = `the file has the GPUs of ${hosts.length} hosts, and no NVLink that joins them; expected one host, or hosts on one NVLink domain`;
    throw new CccError('topology', message, apart.element.range);
  }

  private differences(gpus: readonly NcclGpu[]): readonly string[] {
    const { nodes, links } = this.host;
    const compared = gpus.map((gpu, rank) => ({
      rank,
      architecture: architectureOf(gpu.element) ?? '',
      links: gpu.links,
      pcie: this.pcieOf.get(gpu.node),
      nicHops: hopsToNic(gpu.node, nodes, links),
    }));
    return differencesAmong(compared);
  }

  private withoutGpus(system: XmlNode): CccError {
    const found =
      this.devices === 0 ? 'no GPU' : `the PCIe places of ${counted(this.devices, 'GPU')}, but no <gpu> tag`;
    const message = `the file has ${found}, so that it does not say what joins GPUs; NCCL_TOPO_DUMP_FILE, set on the machine itself, writes a file that does`;
    return new CccError('topology', message, system.element.range);
  }

  /** Refuses two different GPUs with one device number. @throws CccError 'schema' */
  private checkDevices(): void {
    const seen = new Map<string, NcclGpu>();
    for (const gpu of this.gpus) {
      const key = `${this.hostOf.get(gpu.cpu)} ${gpu.device}`;
      // Partitions of one GPU, which share a PCIe function, may share its device number.
      const before = seen.get(key);
      if (before !== undefined && before.function !== gpu.function) {
        throw new CccError(
          'topology',
          `a second GPU with dev="${gpu.device}": expected the GPUs of one host`,
          gpu.element.range,
        );
      }
      seen.set(key, gpu);
    }
  }

  private gpuName(): string | undefined {
    const kinds = new Set(this.gpus.map(({ element }) => architectureOf(element)));
    const [kind] = kinds;
    return kinds.size === 1 ? kind : undefined;
  }

  private addCpu({ element, children }: XmlNode): number {
    const cpu = this.host.add('cpu', element.range);
    this.hostOf.set(cpu, element.optional('host_hash') ?? '');
    for (const child of children) {
      if (child.element.name === 'pci') this.addPci(child, cpu, cpu);
      if (child.element.name === 'nic') this.addHostNic(child, cpu);
    }
    return cpu;
  }

  /** Adds a PCIe device: a switch with everything below it, a GPU or a NIC. */
  private addPci(node: XmlNode, parent: number, cpu: number): void {
    const { element, children } = node;
    const busId = element.text('busid').toLowerCase();
    const figure = this.hardware.pcie(element.optional('link_speed') ?? '', lanesOf(element));
    if (figure.of.includes('unknown speed')) this.unknownSpeeds++;
    const gpus = children.filter((child) => child.element.name === 'gpu');
    if (gpus.length > 0) {
      this.addGpus(gpus, parent, cpu, busId, figure);
      return;
    }
    const nic = children.find((child) => child.element.name === 'nic');
    if (nic !== undefined) {
      this.addNic(nic, `${this.hostOf.get(cpu)} ${busId.replace(/.$/, '')}`, parent, figure);
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

  /** Adds the GPUs of one PCIe function. There are several if a GPU is partitioned; they share its PCIe link and its NVLinks. */
  private addGpus(tags: readonly XmlNode[], parent: number, cpu: number, busId: string, figure: Figure): void {
    const isShared = tags.length > 1;
    const shared = isShared ? this.host.add('pcie', tags[0].element.range) : undefined;
    if (shared !== undefined) this.host.duplex('pcie', shared, parent, figure, 'PCIe');
    tags.forEach(({ element, children }, part) => {
      const node = this.host.add('gpu', element.range);
      this.pcieOf.set(node, figure.of);
      this.host.duplex('pcie', node, shared ?? parent, shared === undefined ? figure : local, 'PCIe');
      const device = element.integer('dev', 0, 65_535);
      const linkTags = part === 0 ? children.map((child) => child.element) : [];
      this.gpus.push({
        node,
        linkNode: shared ?? node,
        device,
        cpu,
        busId,
        function: busId,
        element,
        linkTags,
        links: 0,
      });
    });
  }

  /**
   * Adds network devices that the file lists directly below a processor, without a place on PCIe. A host may list the same device below each of its
   * processors.
   */
  private addHostNic({ element, children }: XmlNode, cpu: number): void {
    const kept = children.filter(({ element: net }) => {
      if (net.name !== 'net') return false;
      const name = net.optional('name') ?? '';
      if (virtualInterface.test(name)) this.virtualNics.add(name);
      return !virtualInterface.test(name);
    });
    for (const net of kept) {
      const name = net.element.optional('name') ?? net.element.text('dev');
      this.addNic({ element, children: [net] }, `${this.hostOf.get(cpu)} net ${name}`, cpu, local);
    }
  }

  /** Adds a NIC. All ports of a device form one NIC, and a device that is listed in two places is linked to both. */
  private addNic({ children }: XmlNode, key: string, parent: number, figure: Figure): void {
    for (const { element } of children) {
      if (element.name !== 'net') continue;
      let nic = this.nics.get(key);
      if (nic === undefined) {
        nic = { node: this.host.add('nic', element.range), megabits: 0, ports: 0, seen: new Set(), parents: new Set() };
        this.nics.set(key, nic);
      }
      if (!nic.parents.has(parent)) {
        nic.parents.add(parent);
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

  /** Links every two processors of a host. */
  private joinCpus(cpus: readonly XmlNode[], nodes: readonly number[]): void {
    const figures = cpus.map(({ element }) => {
      const number = (name: string): number | undefined =>
        element.has(name) ? signedInteger(element, name) : undefined;
      const [arch, vendor] = [element.optional('arch'), element.optional('vendor')];
      return this.hardware.cpu({ arch, vendor, family: number('familyid'), model: number('modelid') });
    });
    nodes.forEach((a, first) => {
      nodes.slice(first + 1).forEach((b, offset) => {
        if (this.hostOf.get(a) !== this.hostOf.get(b)) return;
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

  /** Links two halves of a PCIe switch. @throws CccError 'schema' if the target is no switch in the file */
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
