/** The hardware of a host as a dump describes it: GPUs, NICs, switches, processors, and the links between them. */
import { CccError, type SourceRange } from '../../ir/diagnostic.ts';
import type { BytesPerSecond } from '../../ir/units.ts';

export type HostNodeKind = 'gpu' | 'nvswitch' | 'pcie' | 'cpu' | 'nic';

/** A link between two nodes, in one or both directions. */
export interface HostLink {
  readonly a: number;
  readonly b: number;
  /** `nvlink` also stands for XGMI; `c2c` stands for any connection of a GPU with its processor other than PCIe. */
  readonly kind: 'nvlink' | 'c2c' | 'pcie' | 'cpu';
  /** The name of the link's technology in descriptions, such as `XGMI`. */
  readonly called: string;
  readonly there: BytesPerSecond;
  /** The bandwidth in the other direction, in bytes per second; 0 if there is none. */
  readonly back: BytesPerSecond;
  /** The link's units: how many messages it carries in a k-synchronous step. */
  readonly units: number;
  /** Where the bandwidth comes from, such as `2 XGMI links of 36 GB/s (gfx90a)`. */
  readonly of: string;
}

/** The bandwidth of a NIC, and where the number comes from. */
export interface Uplink {
  readonly bandwidth: BytesPerSecond;
  readonly of: string;
}

export interface SystemHost {
  /** Name of the machine, one word. */
  readonly name: string;
  /** The kind and name of the dump, such as `an NCCL topology (topo.xml)`. */
  readonly readFrom: string;
  /** The model of its GPUs if known: `gfx90a`. */
  readonly gpuName: string | undefined;
  /** GPUs first, in the order of their ranks. */
  readonly nodes: readonly HostNodeKind[];
  readonly links: readonly HostLink[];
  /** Bandwidth of each NIC, by the index of its node. */
  readonly uplinks: ReadonlyMap<number, Uplink>;
  /** Where the bandwidths come from. */
  readonly source: string;
  /** Remarks on what the reader assumed or left out. */
  readonly notes: readonly string[];
}

/** Collects the nodes and links of a host while a dump is read. */
export class HostBuilder {
  readonly nodes: HostNodeKind[] = [];
  readonly links: HostLink[] = [];
  readonly uplinks = new Map<number, Uplink>();
  readonly notes: string[] = [];
  private readonly most: number;

  /** @param most largest number of nodes that the host may have */
  constructor(most: number) {
    this.most = most;
  }

  /** @throws CccError 'limit' */
  add(kind: HostNodeKind, range?: SourceRange): number {
    if (this.nodes.length >= this.most) {
      throw new CccError('limit', `a host of more than ${this.most} devices: the limit ranks`, range);
    }
    return this.nodes.push(kind) - 1;
  }

  join(link: HostLink): void {
    this.links.push(link);
  }

  /** Adds a link with the same bandwidth in both directions. */
  duplex(kind: HostLink['kind'], a: number, b: number, figure: Uplink, called: string, units = 1): void {
    this.links.push({ a, b, kind, called, there: figure.bandwidth, back: figure.bandwidth, units, of: figure.of });
  }

  /** Returns the host. Its nodes are renumbered: those of `first` come first, in that order, so that GPUs are numbered by rank. */
  build(first: readonly number[], words: Pick<SystemHost, 'name' | 'readFrom' | 'gpuName' | 'source'>): SystemHost {
    const isFirst = new Set(first);
    const order = [...first, ...this.nodes.keys()].filter((node, index) => index < first.length || !isFirst.has(node));
    const place = new Map(order.map((node, index) => [node, index]));
    const at = (node: number): number => place.get(node) ?? node;
    return {
      ...words,
      nodes: order.map((node) => this.nodes[node]),
      links: this.links.map((link) => ({ ...link, a: at(link.a), b: at(link.b) })),
      uplinks: new Map([...this.uplinks].map(([node, uplink]) => [at(node), uplink])),
      notes: this.notes,
    };
  }
}

/** Writes a bandwidth as `25 GB/s`, with as many digits as the number has. */
export function gigabytes(rate: BytesPerSecond): string {
  return `${Number((rate / 1e9).toPrecision(10))} GB/s`;
}
