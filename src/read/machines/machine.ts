/** Writes a host, or several equal hosts on one network, as a topology file. */
import { CccError } from '../../ir/diagnostic.ts';
import type { CommentedQuantity, MachineDocument, NamedKind, WrittenLinks } from './document.ts';
import type { Hardware, HopKind } from './hardware.ts';
import { gigabytes, type HostLink, type HostNodeKind, type SystemHost } from './host.ts';
import { type LinkChoice, partOf } from './reduce.ts';
import { type NumberPair, patternsOf, sum } from './regular.ts';

/** Options of the conversion from a host to a machine. */
export interface MachineOptions {
  readonly links: LinkChoice;
  /** Number of equal hosts, joined through their NICs by one switch. */
  readonly boxes: number;
}

/** The kinds of nodes that are switches in a topology file, in the order in which the file numbers them. */
const switchKinds = ['nvswitch', 'pcie', 'nic'] as const;
const names: Readonly<Record<HostNodeKind, string>> = {
  gpu: 'GPU',
  nvswitch: 'NVSwitch',
  pcie: 'PCIe switch',
  nic: 'NIC',
  cpu: 'CPU',
};

/** All nodes of one kind in each box. */
interface Population {
  readonly kind: HostNodeKind;
  /** Indices of the nodes in the host, ascending. */
  readonly nodes: readonly number[];
  /** Name of the `let` that gives the index of the first switch of this kind; undefined for the kind that comes first, which starts at 0. */
  readonly start: string | undefined;
}

/** Converts a host to the content of a topology file. @throws CccError 'usage' if several boxes are requested and the host has no NIC */
export function machineFromBoxes(
  host: SystemHost,
  { links: choice, boxes }: MachineOptions,
  hardware: Hardware,
): MachineDocument {
  const gpus = host.nodes.filter((kind) => kind === 'gpu').length;
  const nics = host.nodes.filter((kind) => kind === 'nic').length;
  if (boxes > 1 && nics === 0) {
    const instead =
      'take a machine that is shipped (ccc list topologies), or convert one host and write its network in';
    const message = `--boxes: ${host.readFrom} has no NIC that would join ${boxes} such hosts: ${instead}`;
    throw new CccError('usage', message);
  }
  const part = partOf(host, choice, boxes > 1);
  const writer = new HostWriter(host, part.links, boxes, hardware);
  const about = `${boxes > 1 ? `Hosts of ${gpus} GPUs on one switch` : `A host of ${gpus} GPUs`}${host.gpuName === undefined ? '' : ` (${host.gpuName})`}, read from ${host.readFrom}.`;
  return {
    name: host.name,
    about,
    source: host.source,
    ...writer.document(gpus),
    notes: [
      'model, not measured: latencies are assumed',
      ...host.notes,
      ...part.notes,
      ...(boxes === 1 && nics > 0
        ? [`${nics === 1 ? 'its NIC is' : `its ${nics} NICs are`} left out; --boxes n joins n such hosts by them`]
        : []),
      ...(boxes > 1 ? ['the network between the NICs is assumed to be one switch without contention'] : []),
    ],
  };
}

class HostWriter {
  private readonly host: SystemHost;
  private readonly links: readonly HostLink[];
  private readonly boxes: number;
  private readonly hardware: Hardware;
  private readonly populations: readonly Population[];
  /** Each node's index among the nodes of its kind. */
  private readonly index = new Map<number, number>();

  constructor(host: SystemHost, links: readonly HostLink[], boxes: number, hardware: Hardware) {
    this.host = host;
    this.links = links;
    this.boxes = boxes;
    this.hardware = hardware;
    const linked = new Set(links.flatMap(({ a, b }) => [a, b]));
    const nodesOf = (kind: HostNodeKind): readonly number[] =>
      [...host.nodes.keys()].filter((node) => host.nodes[node] === kind && (kind === 'gpu' || linked.has(node)));
    const present = switchKinds.filter((kind) => nodesOf(kind).length > 0);
    this.populations = [
      { kind: 'gpu', nodes: nodesOf('gpu'), start: undefined },
      ...present.map((kind, at) => ({ kind, nodes: nodesOf(kind), start: at === 0 ? undefined : kind })),
      { kind: 'cpu', nodes: nodesOf('cpu'), start: undefined },
    ];
    for (const { nodes } of this.populations) for (const [at, node] of nodes.entries()) this.index.set(node, at);
  }

  /** Returns the content of the file except its texts (name, description, source, notes). */
  document(gpus: number): Omit<MachineDocument, 'name' | 'about' | 'source' | 'notes'> {
    const several = this.boxes > 1;
    const passive = this.populations.filter(({ kind }) => kind !== 'gpu' && kind !== 'cpu');
    const cpus = this.populations.filter(({ kind, nodes }) => kind === 'cpu' && nodes.length > 0);
    const network: readonly NamedKind[] = several ? [{ count: '1', name: 'network' }] : [];
    return {
      parameter: several ? { name: 'boxes', standard: this.boxes, about: `hosts of ${gpus} GPUs` } : undefined,
      lets: this.lets(passive, several),
      chips: several ? `${gpus} * boxes` : String(gpus),
      chipName: several ? `gpu {r // ${gpus}}.{r % ${gpus}}` : 'gpu {r}',
      switches: [...passive.map((population) => this.kindOf(population)), ...network],
      hosts: cpus.map((population) => this.kindOf(population)),
      links: this.statements(),
      groups: several ? [{ loop: 'box in 0 .. boxes - 1', ranks: `${gpus} * box .. ${gpus} * box + ${gpus - 1}` }] : [],
    };
  }

  /** Defines, for each kind of switch but the first, the index of its first switch. */
  private lets(passive: readonly Population[], several: boolean): MachineDocument['lets'] {
    const lets: { name: string; value: string; remark: string }[] = [];
    let before: Population | undefined;
    const startBehind = ({ nodes, start }: Population): string =>
      sum(start ?? '', several ? `${nodes.length} * boxes` : nodes.length);
    for (const population of passive) {
      if (population.start !== undefined && before !== undefined) {
        const remark = `the first ${names[population.kind]} among the switches`;
        lets.push({ name: population.start, value: startBehind(before), remark });
      }
      before = population;
    }
    if (several && before !== undefined) {
      lets.push({ name: 'network', value: startBehind(before), remark: 'the switch between the boxes' });
    }
    return lets;
  }

  private kindOf({ kind, nodes }: Population): NamedKind {
    const name = names[kind];
    const count = nodes.length;
    if (this.boxes === 1)
      return { count: String(count), name: count === 1 && kind !== 'nic' && kind !== 'cpu' ? name : `${name} {i}` };
    return {
      count: count === 1 ? 'boxes' : `${count} * boxes`,
      name: count === 1 && kind !== 'nic' ? `${name} {i}` : `${name} {i // ${count}}.{i % ${count}}`,
    };
  }

  private statements(): readonly WrittenLinks[] {
    const classes = new Map<string, HostLink[]>();
    for (const link of this.links.flatMap((each) => this.directed(each))) {
      const key = [this.titleOf(link), link.there, link.back > 0, link.units, link.of].join('|');
      const known = classes.get(key);
      if (known === undefined) classes.set(key, [link]);
      else known.push(link);
    }
    const inside = [...classes.values()].map((links) => this.statement(links));
    return this.boxes === 1 ? inside : [...inside, ...this.networkStatements()];
  }

  /**
   * Splits a link whose directions have different bandwidths into two links. In a pair of different kinds the GPU comes first, then the node that is
   * nearer to it.
   */
  private directed(link: HostLink): readonly HostLink[] {
    const { a, b, there, back } = link;
    const order = (node: number): number =>
      [...(['gpu', 'nic', ...switchKinds, 'cpu'] as const)].indexOf(this.kind(node));
    const isTurned =
      order(a) > order(b) || (order(a) === order(b) && (this.index.get(a) ?? 0) > (this.index.get(b) ?? 0));
    const straight = isTurned ? { ...link, a: b, b: a, there: back, back: there } : link;
    if (there === back) return [straight];
    const one = (from: HostLink): HostLink => ({ ...from, back: 0 });
    const other = { ...straight, a: straight.b, b: straight.a, there: straight.back };
    return [one(straight), one(other)].filter((each) => each.there > 0);
  }

  private kind(node: number): HostNodeKind {
    return this.host.nodes[node];
  }

  private titleOf({ a, b, called }: HostLink): string {
    const ends = [a, b].map((node) => names[this.kind(node)]);
    return `${called}: ${ends[0]} to ${ends[1]}`;
  }

  private statement(links: readonly HostLink[]): WrittenLinks {
    const [first] = links;
    const kinds = [first.a, first.b].map((node) => this.kind(node));
    const pairs = links.map(({ a, b }): NumberPair => [this.index.get(a) ?? 0, this.index.get(b) ?? 0]);
    const arrow = first.back > 0 ? '<->' : '->';
    const patterns = patternsOf(pairs, kinds[0] === kinds[1] && first.back > 0).map(({ loops, ends }): WrittenLinks => {
      return { loops, ends: ends.map((end, side) => this.end(kinds[side], end)).join(` ${arrow} `) };
    });
    const numbers = {
      latency: { text: this.hardware.latencies[this.hopOf(first)], remark: 'assumed' },
      bandwidth: { text: gigabytes(first.there), remark: first.of },
      units: first.units === 1 ? undefined : { text: String(first.units), remark: 'links' },
    };
    return this.inEachBox(this.titleOf(first), patterns, numbers);
  }

  private inEachBox(
    comment: string,
    patterns: readonly WrittenLinks[],
    numbers: Pick<WrittenLinks, 'latency' | 'bandwidth' | 'units'>,
  ): WrittenLinks {
    const box = this.boxes === 1 ? [] : ['box in 0 .. boxes - 1'];
    if (patterns.length > 1) return { comment, loops: box, ...numbers, statements: patterns };
    const [{ loops = [], ends = '' }] = patterns;
    return { comment, loops: [...box, ...loops], ends, ...numbers };
  }

  private hopOf({ a, b, kind }: HostLink): HopKind {
    if (kind === 'nvlink') return [a, b].some((node) => this.kind(node) === 'nvswitch') ? 'nvswitch' : 'nvlink';
    return kind === 'cpu' ? 'cpu' : 'pcie';
  }

  /** Writes one end of a link. `expression` is the node's index among the nodes of its kind in its box. */
  private end(kind: HostNodeKind, expression: string): string {
    const population = this.populations.find((each) => each.kind === kind);
    const count = population?.nodes.length ?? 0;
    const inBox = this.boxes === 1 ? '' : count === 1 ? 'box' : `${count} * box`;
    const parts = [population?.start ?? '', inBox, expression === '0' ? '' : expression].filter((part) => part !== '');
    const index = parts.length === 0 ? '0' : parts.join(' + ').replace(/\+ -/g, '- ');
    return kind === 'gpu' ? index : `${kind === 'cpu' ? 'host' : 'switch'} ${index}`;
  }

  /** Writes the links between the NICs and the switch that joins the boxes. */
  private networkStatements(): readonly WrittenLinks[] {
    const byFigure = new Map<string, NumberPair[]>();
    for (const [node, uplink] of this.host.uplinks) {
      const index = this.index.get(node);
      if (index === undefined) continue;
      const key = `${gigabytes(uplink.bandwidth)}|${uplink.of}`;
      byFigure.set(key, [...(byFigure.get(key) ?? []), [index, 0]]);
    }
    return [...byFigure].map(([key, pairs]) => {
      const [text, remark] = key.split('|');
      const patterns = patternsOf(pairs, false).map(({ loops, ends }): WrittenLinks => {
        return { loops, ends: `${this.end('nic', ends[0])} <-> switch network` };
      });
      const latency: CommentedQuantity = { text: this.hardware.latencies.network, remark: 'assumed' };
      return this.inEachBox('Network: NIC to the switch between the boxes', patterns, {
        latency,
        bandwidth: { text, remark },
      });
    });
  }
}
