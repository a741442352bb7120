/**
 * Which schemes scan a message's chunks so that no link carries much more than it must. Chunk by chunk the cheapest scheme is
 * taken, hops being the dearer the busier what they hold already is (after the multiplicative weights of Garg and Könemann 2007, for few whole chunks). Then
 * the ways of each class are taken again, one by one, as long as that helps: which sees what the others of its chunk hold.
 */
import type { CollectiveKind } from '../../ir/collective.ts';
import type { ShouldStop } from '../../ir/effort.ts';
import { perOperation } from '../limits.ts';
import { type Hops, Loads, waysFrom } from './hops.ts';
import { type ClassTree, cheapestStops, exscanStops, hopsIn, type Scheme, type Stops, treeOf } from './scheme.ts';

/** Times that all classes of all chunks are put back. */
const mostPasses = 6;

export interface Packing {
  /** One for each chunk. */
  readonly schemes: readonly Scheme[];
  /** For how long the busiest resource is held, in seconds for each byte of a whole message. */
  readonly load: number;
  /** Messages in all. */
  readonly messages: number;
}

/** Schemes for so many chunks of a scan or exscan, or for as many as there is time for: the best packing that passes come to. */
export function packSchemes(kind: CollectiveKind, hops: Hops, chunks: number, shouldStop?: ShouldStop): Packing {
  const packer = new Packer(kind, hops);
  const isOver = () => shouldStop?.(packer.newLooks() / perOperation.arcs) === true;
  let stops = false;
  for (let chunk = 0; chunk < chunks && !stops; chunk++) {
    packer.add();
    stops = isOver();
  }
  let best = packer.packing();
  for (let passes = 0; passes < mostPasses && !stops; passes++) {
    for (let chunk = 0; chunk < chunks && !stops; chunk++) {
      packer.improve(chunk);
      stops = isOver();
    }
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
  /** Hops that ways and prices have looked at, and stops that have been held against each other, since it was last told. */
  private looks = 0;

  constructor(kind: CollectiveKind, hops: Hops) {
    this.kind = kind;
    this.hops = hops;
    this.loads = new Loads(hops);
  }

  /** One more chunk, by the cheapest scheme, all of whose hops cost what they do before any is taken. */
  add(): void {
    const { hops, kind, loads } = this;
    loads.rescale();
    const ways = hops.outgoing.map((_, from) => waysFrom(hops, loads.prices, from));
    const stops = kind === 'scan' ? cheapestStops(ways.map(({ costs }) => costs)) : exscanStops(hops.ranks);
    const scheme = stops.map((stop, rank) => treeOf(hops, (from, to) => ways[from].to(to), rank, stop));
    this.looks += hops.ranks ** 3 / (kind === 'scan' ? 2 : 4);
    this.packed.push({ stops, scheme });
    for (const tree of scheme) loads.put(hopsIn(tree), 1);
  }

  /** Takes each class of a chunk out and puts it back by the ways that are cheapest then, meeting others where it did. */
  improve(chunk: number): void {
    const { hops, loads } = this;
    const { stops, scheme } = this.packed[chunk];
    const way = (from: number, to: number) => {
      const found = waysFrom(hops, loads.prices, from, to);
      this.looks += found.looks;
      return found.to(to);
    };
    loads.rescale();
    for (const [rank, stop] of stops.entries()) {
      loads.put(hopsIn(scheme[rank]), -1);
      scheme[rank] = treeOf(hops, way, rank, stop);
      loads.put(hopsIn(scheme[rank]), 1);
    }
  }

  newLooks(): number {
    const { looks } = this;
    this.looks = 0;
    return looks;
  }

  packing(): Packing {
    const schemes = this.packed.map(({ scheme }) => [...scheme]);
    const messages = schemes.flat().reduce((sum, tree) => sum + hopsIn(tree).length, 0);
    return { schemes, load: this.loads.busiest() / schemes.length, messages };
  }
}
