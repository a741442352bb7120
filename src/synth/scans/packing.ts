/**
 * Which schemes scan a message's chunks so that no link carries much more than it must. Chunk by chunk the cheapest scheme is
 * taken, hops being the dearer the busier what they hold already is; then each chunk in turn is taken out and put back, as long as
 * that helps (after the multiplicative weights of Garg and Könemann 2007, for few whole chunks). In the end the ways of each class are,
 * which sees what the others of its chunk hold.
 */
import type { CollectiveKind } from '../../ir/collective.ts';
import type { Arc } from '../arcs.ts';
import { cheapestWay, type Hops, Ways } from './hops.ts';
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

/** What a hop costs beside what it holds, in parts of holding an idle resource: of equally good ways the short ones are taken. */
const leastPrice = 1e-3;

/** Schemes for so many chunks of a scan or exscan. */
export function packSchemes(kind: CollectiveKind, hops: Hops, chunks: number): Packing {
  return packed(new Packer(kind, hops, chunks), chunks);
}

/** The scheme in which each class goes from its rank to the next and nowhere else, for all chunks alike. */
export function packChain(hops: Hops): Packing {
  return packed(new Packer('exscan', hops, 1), 1);
}

function packed(packer: Packer, chunks: number): Packing {
  for (let chunk = 0; chunk < chunks; chunk++) packer.put(chunk);
  const whole = improved(packer, packer.packing(), () => {
    for (let chunk = 0; chunk < chunks; chunk++) {
      packer.take(chunk);
      packer.put(chunk);
    }
  });
  return improved(packer, whole, () => {
    for (let chunk = 0; chunk < chunks; chunk++) packer.putClasses(chunk);
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
  private readonly loads: Float64Array;
  /** By chunk. */
  private readonly schemes: ClassTree[][] = [];
  private readonly stops: (readonly Stops[])[] = [];
  private readonly chunks: number;
  /** By resource: the hops that hold it. */
  private readonly holders: readonly (readonly number[])[];
  /** By hop: the round in which it was priced last. */
  private readonly pricedIn: Int32Array;
  private rounds = 0;

  constructor(kind: CollectiveKind, hops: Hops, chunks: number) {
    this.kind = kind;
    this.hops = hops;
    this.chunks = chunks;
    this.loads = new Float64Array(hops.resources);
    const holders: number[][] = Array.from({ length: hops.resources }, () => []);
    for (const [index, { resources }] of hops.arcs.entries())
      for (const resource of resources) holders[resource].push(index);
    this.holders = holders;
    this.pricedIn = new Int32Array(hops.arcs.length);
  }

  /** The cheapest scheme, all of whose hops cost what they do before any is taken. */
  put(chunk: number): void {
    const { hops, kind } = this;
    const ways = new Ways(hops, this.prices(this.scale()));
    const stops = kind === 'scan' ? cheapestStops(hops.ranks, ways) : exscanStops(hops.ranks);
    const scheme = schemeOf(hops, (from, to) => ways.way(from, to), stops);
    this.stops[chunk] = stops;
    this.schemes[chunk] = scheme;
    for (const tree of scheme) this.add(tree, 1);
  }

  take(chunk: number): void {
    for (const tree of this.schemes[chunk]) this.add(tree, -1);
  }

  /** Takes each class of a chunk out and puts it back by the ways that are cheapest then, meeting others where it did. */
  putClasses(chunk: number): void {
    const { hops } = this;
    const scheme = this.schemes[chunk];
    const scale = this.scale();
    const prices = this.prices(scale);
    const way = (from: number, to: number) => cheapestWay(hops, prices, from, to);
    for (const [rank, stops] of this.stops[chunk].entries()) {
      this.add(scheme[rank], -1);
      this.priceAgain(prices, scale, scheme[rank]);
      scheme[rank] = treeOf(hops, way, rank, stops);
      this.add(scheme[rank], 1);
      this.priceAgain(prices, scale, scheme[rank]);
    }
  }

  packing(): Packing {
    const messages = this.schemes.flat().reduce((sum, { hops }) => sum + hops.length - 1, 0);
    return { schemes: this.schemes.map((scheme) => [...scheme]), load: this.busiest() / this.chunks, messages };
  }

  private busiest(): number {
    return this.loads.reduce((most, load) => Math.max(most, load), 0);
  }

  private add({ hops }: ClassTree, sign: 1 | -1): void {
    for (const hop of hops) {
      if (hop < 0) continue;
      const { resources, secondsPerByte: seconds } = this.hops.arcs[hop];
      resources.forEach((resource, index) => {
        this.loads[resource] = Math.max(0, this.loads[resource] + sign * seconds[index]);
      });
    }
  }

  /** What is held for so long is dear. */
  private scale(): number {
    return Math.max(this.busiest(), this.hops.slowest);
  }

  private prices(scale: number): Float64Array {
    return Float64Array.from(this.hops.arcs, (hop) => this.priceOf(hop, scale));
  }

  /** Prices what shares something with the hops of a tree, once. */
  private priceAgain(prices: Float64Array, scale: number, tree: ClassTree): void {
    const { arcs } = this.hops;
    const resources = new Set(tree.hops.flatMap((hop) => (hop < 0 ? [] : arcs[hop].resources)));
    const round = ++this.rounds;
    for (const resource of resources) {
      for (const holder of this.holders[resource]) {
        if (this.pricedIn[holder] === round) continue;
        this.pricedIn[holder] = round;
        prices[holder] = this.priceOf(arcs[holder], scale);
      }
    }
  }

  private priceOf({ resources, secondsPerByte: seconds }: Arc, scale: number): number {
    let price = leastPrice;
    for (let index = 0; index < resources.length; index++) {
      const share = (this.loads[resources[index]] + seconds[index]) / scale;
      price += (seconds[index] / this.hops.slowest) * (steep(share) + leastPrice);
    }
    return price;
  }
}

/** How dear it is to hold what is held for longer: to the eighth power. */
function steep(share: number): number {
  const square = share * share;
  const fourth = square * square;
  return fourth * fourth;
}
