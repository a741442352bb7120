/**
 * Which schemes scan a message's chunks so that no link carries much more than it must. Chunk by chunk the cheapest scheme is
 * taken, hops being the dearer the busier what they hold already is (after the multiplicative weights of Garg and Könemann 2007, for few whole chunks). Then
 * the ways of each class are taken again, one by one, as long as that helps: which sees what the others of its chunk hold.
 */
import type { CollectiveKind } from '../../ir/collective.ts';
import { cheapestWay, type Hops, Loads, Ways } from './hops.ts';
import { limits } from './limits.ts';
import {
  type ClassTree,
  cheapestStops,
  exscanStops,
  hopsIn,
  type Scheme,
  type Stops,
  schemeOf,
  treeOf,
} from './scheme.ts';

export interface Packing {
  /** One for each chunk. */
  readonly schemes: readonly Scheme[];
  /** For how long the busiest resource is held, in seconds for each byte of a whole message. */
  readonly load: number;
  /** Messages in all. */
  readonly messages: number;
}

/** Schemes for so many chunks of a scan or exscan: the best packing that passes come to. */
export function packSchemes(kind: CollectiveKind, hops: Hops, chunks: number): Packing {
  const packer = new Packer(kind, hops);
  for (let chunk = 0; chunk < chunks; chunk++) packer.add();
  let best = packer.packing();
  for (let passes = 0; passes < limits.passes; passes++) {
    packer.improve();
    const found = packer.packing();
    const isBetter = found.load < best.load * (1 - 1e-9);
    if (!isBetter && (found.load > best.load * (1 + 1e-9) || found.messages >= best.messages)) break;
    best = found;
  }
  return best;
}

class Packer {
  private readonly kind: CollectiveKind;
  private readonly hops: Hops;
  private readonly loads: Loads;
  /** By chunk. */
  private readonly packed: { readonly stops: readonly Stops[]; readonly scheme: ClassTree[] }[] = [];
  /** By resource: the hops that hold it. */
  private readonly holders: readonly number[][];

  constructor(kind: CollectiveKind, hops: Hops) {
    this.kind = kind;
    this.hops = hops;
    this.loads = new Loads(hops);
    this.holders = Array.from({ length: hops.resources }, () => []);
    for (const [hop, { resources }] of hops.arcs.entries())
      for (const resource of resources) this.holders[resource].push(hop);
  }

  /** One more chunk, by the cheapest scheme, all of whose hops cost what they do before any is taken. */
  add(): void {
    const { hops, kind, loads } = this;
    const ways = new Ways(hops, loads.prices(loads.scale()));
    const stops = kind === 'scan' ? cheapestStops(hops.ranks, ways) : exscanStops(hops.ranks);
    const scheme = schemeOf(hops, (from, to) => ways.way(from, to), stops);
    this.packed.push({ stops, scheme });
    for (const tree of scheme) loads.put(hopsIn(tree), 1);
  }

  /** Takes each class of each chunk out and puts it back by the ways that are cheapest then, meeting others where it did. */
  improve(): void {
    const { hops, loads } = this;
    for (const { stops, scheme } of this.packed) {
      const scale = loads.scale();
      const prices = loads.prices(scale);
      const way = (from: number, to: number) => cheapestWay(hops, prices, from, to);
      const put = (tree: ClassTree, times: 1 | -1) => {
        loads.put(hopsIn(tree), times);
        const held = new Set(hopsIn(tree).flatMap((hop) => hops.arcs[hop].resources));
        const changed = new Set([...held].flatMap((resource) => this.holders[resource]));
        for (const hop of changed) prices[hop] = loads.priceOf(hop, scale);
      };
      for (const [rank, stop] of stops.entries()) {
        put(scheme[rank], -1);
        scheme[rank] = treeOf(hops, way, rank, stop);
        put(scheme[rank], 1);
      }
    }
  }

  packing(): Packing {
    const schemes = this.packed.map(({ scheme }) => [...scheme]);
    const messages = schemes.flat().reduce((sum, tree) => sum + hopsIn(tree).length, 0);
    return { schemes, load: this.loads.busiest() / schemes.length, messages };
  }
}
