/** A host as a dump shows it: GPUs, NICs and what joins them. */
import { CccError, type SourceRange } from '../../ir/diagnostic.ts';
import type { BytesPerSecond } from '../../ir/units.ts';

export type HostNodeKind = 'gpu' | 'nvswitch' | 'pcie' | 'cpu' | 'nic';

/** Two nodes joined, in both directions or one. */
export interface HostLink {
  readonly a: number;
  readonly b: number;
  /** `nvlink` also stands for XGMI, `c2c` for whatever else than PCIe joins a GPU and its processor. */
  readonly kind: 'nvlink' | 'c2c' | 'pcie' | 'cpu';
  /** What people call it: `XGMI`. */
  readonly called: string;
  readonly there: BytesPerSecond;
  /** 0 where there is no way back. */
  readonly back: BytesPerSecond;
  /** Links of a k-synchronous step. */
  readonly units: number;
  /** Whose figure the bandwidth is: `2 XGMI links of 36 GB/s (gfx90a)`. */
  readonly of: string;
}

/** How fast a NIC sends, and whose figure that is. */
export interface Uplink {
  readonly bandwidth: BytesPerSecond;
  readonly of: string;
}

export interface SystemHost {
  /** In one word. */
  readonly name: string;
  /** `an NCCL topology (topo.xml)`. */
  readonly readFrom: string;
  /** What its GPUs are, where that is known: `gfx90a`. */
  readonly gpuName: string | undefined;
  /** GPUs first, in the order of their ranks. */
  readonly nodes: readonly HostNodeKind[];
  readonly links: readonly HostLink[];
  /** By NIC, as the index of its node. */
  readonly uplinks: ReadonlyMap<number, Uplink>;
  /** Where figures come from. */
  readonly source: string;
  /** What was assumed or left out. */
  readonly notes: readonly string[];
}

/** Collects a host. */
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

  /** Joins both ways, with one bandwidth. */
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
