/** The hardware of a host as a dump shows it: GPUs, NICs, and the links between them. */
import { CccError, type SourceRange } from '../../ir/diagnostic.ts';
import type { BytesPerSecond } from '../../ir/units.ts';

export type HostNodeKind = 'gpu' | 'nvswitch' | 'pcie' | 'cpu' | 'nic';

/** A link between two nodes, in one or both directions. */
export interface HostLink {
  readonly a: number;
  readonly b: number;
  /** `nvlink` also stands for XGMI, `c2c` for whatever else than PCIe joins a GPU and its processor. */
  readonly kind: 'nvlink' | 'c2c' | 'pcie' | 'cpu';
  /** The name of its technology in descriptions: `XGMI`. */
  readonly called: string;
  readonly there: BytesPerSecond;
  /** The bandwidth in the other direction; 0 if there is none. */
  readonly back: BytesPerSecond;
  /** The link's units: how many messages it carries in a k-synchronous step. */
  readonly units: number;
  /** The source of the bandwidth: `2 XGMI links of 36 GB/s (gfx90a)`. */
  readonly of: string;
}

/** The bandwidth of a NIC, and the source of the figure. */
export interface Uplink {
  readonly bandwidth: BytesPerSecond;
  readonly of: string;
}

export interface SystemHost {
  /** In one word. */
  readonly name: string;
  /** `an NCCL topology (topo.xml)`. */
  readonly readFrom: string;
  /** The model of its GPUs if known: `gfx90a`. */
  readonly gpuName: string | undefined;
  /** GPUs first, in the order of their ranks. */
  readonly nodes: readonly HostNodeKind[];
  readonly links: readonly HostLink[];
  /** By NIC, as the index of its node. */
  readonly uplinks: ReadonlyMap<number, Uplink>;
  /** The sources of the figures. */
  readonly source: string;
  /** Remarks on what was assumed or left out. */
  readonly notes: readonly string[];
}

/** Builds a host. */
export class HostBuilder {
  readonly nodes: HostNodeKind[] = [];
  readonly links: HostLink[] = [];
  readonly uplinks = new Map<number, Uplink>();
  readonly notes: string[] = [];
  private readonly most: number;

  /** @param most nodes */
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

  /** The host, its nodes being put in order: those of `first` in front, by their places in it. */
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

/** `25 GB/s`, in as many digits as the number has. */
export function gigabytes(rate: BytesPerSecond): string {
  return `${Number((rate / 1e9).toPrecision(10))} GB/s`;
}
