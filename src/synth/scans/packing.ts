/**
 * Which schemes scan a message's chunks so that no link carries much more than it must. Chunk by chunk the cheapest scheme is
 * taken, hops being the dearer the busier what they hold already is; then each chunk in turn is taken out and put back, as long as
 * that helps (after the multiplicative weights of Garg and Könemann 2007, for few whole chunks). In the end the ways of each class are,
 * which sees what the others of its chunk hold.
 */
import type { CollectiveKind } from '../../ir/collective.ts';
import { cheapestWay, type Hops, Loads, Ways } from './hops.ts';
import { limits } from './limits.ts';
import { type ClassTree, cheapestStops, exscanStops, type Scheme, type Stops, schemeOf, treeOf } from './scheme.ts';

export interface Packing {
  /** One for each chunk. */
  readonly schemes: readonly Scheme[];
  /** For how long the busiest resource is held, in seconds for each byte of a whole message. */
  readonly load: number;
  /** Messages in all. */
  readonly messages: number;
}

/** Schemes for so many chunks of a scan or exscan. */
export function packSchemes(kind: CollectiveKind, hops: Hops, chunks: number): Packing {
  const packer = new Packer(kind, hops, chunks);
  const all = Array.from({ length: chunks }, (_, chunk) => chunk);
  for (const chunk of all) packer.put(chunk);
  const whole = improved(packer, packer.packing(), () => {
    for (const chunk of all) {
      packer.take(chunk);
      packer.put(chunk);
    }
  });
  return improved(packer, whole, () => {
    for (const chunk of all) packer.putClasses(chunk);
  });
}

/** The best packing that passes come to, the first of them from what is packed now. */
function improved(packer: Packer, first: Packing, pass: () => void): Packing {
  let best = first;
  for (let passes = 0; passes < limits.passes; passes++) {
    pass();
    const found = packer.packing();
    const isBetter = found.load < best.load * (1 - 1e-9);
    if (isBetter || (found.load <= best.load * (1 + 1e-9) && found.messages < best.messages)) best = found;
    else break;
  }
  return best;
}

class Packer {
  private readonly kind: CollectiveKind;
  private readonly hops: Hops;
  private readonly loads: Loads;
  /** By chunk. */
  private readonly schemes: ClassTree[][] = [];
  private readonly stops: (readonly Stops[])[] = [];
  private readonly chunks: number;
  /** By resource: the hops that hold it. */
  private readonly holders: readonly (readonly number[])[];

  constructor(kind: CollectiveKind, hops: Hops, chunks: number) {
    this.kind = kind;
    this.hops = hops;
    this.chunks = chunks;
    this.loads = new Loads(hops);
    const holders: number[][] = Array.from({ length: hops.resources }, () => []);
    for (const [index, { resources }] of hops.arcs.entries())
      for (const resource of resources) holders[resource].push(index);
    this.holders = holders;
  }

  /** The cheapest scheme, all of whose hops cost what they do before any is taken. */
  put(chunk: number): void {
    const { hops, kind, loads } = this;
    const ways = new Ways(hops, loads.prices(loads.scale()));
    const stops = kind === 'scan' ? cheapestStops(hops.ranks, ways) : exscanStops(hops.ranks);
    const scheme = schemeOf(hops, (from, to) => ways.way(from, to), stops);
    this.stops[chunk] = stops;
    this.schemes[chunk] = scheme;
    for (const tree of scheme) loads.put(hopsOfTree(tree), 1);
  }

  take(chunk: number): void {
    for (const tree of this.schemes[chunk]) this.loads.put(hopsOfTree(tree), -1);
  }

  /** Takes each class of a chunk out and puts it back by the ways that are cheapest then, meeting others where it did. */
  putClasses(chunk: number): void {
    const { hops, loads } = this;
    const scheme = this.schemes[chunk];
    const scale = loads.scale();
    const prices = loads.prices(scale);
    const way = (from: number, to: number) => cheapestWay(hops, prices, from, to);
    const change = (tree: ClassTree, times: 1 | -1) => {
      const taken = hopsOfTree(tree);
      loads.put(taken, times);
      const held = new Set(taken.flatMap((hop) => hops.arcs[hop].resources));
      const changed = new Set([...held].flatMap((resource) => this.holders[resource]));
      for (const hop of changed) prices[hop] = loads.priceOf(hop, scale);
    };
    for (const [rank, stops] of this.stops[chunk].entries()) {
      change(scheme[rank], -1);
      scheme[rank] = treeOf(hops, way, rank, stops);
      change(scheme[rank], 1);
    }
  }

  packing(): Packing {
    const messages = this.schemes.flat().reduce((sum, { hops }) => sum + hops.length - 1, 0);
    return { schemes: this.schemes.map((scheme) => [...scheme]), load: this.loads.busiest() / this.chunks, messages };
  }
}

function hopsOfTree({ hops }: ClassTree): number[] {
  return hops.filter((hop) => hop >= 0);
}
