/**
 * Which schemes scan a message's chunks so that no link carries much more than it must. Chunk by chunk the cheapest scheme is
 * taken, hops being the dearer the busier what they hold already is (after the multiplicative weights of Garg and Könemann 2007, for few whole chunks). Then
 * the ways of each class are taken again, one by one, as long as that helps: which sees what the others of its chunk hold.
 */
import type { CollectiveKind } from '../../ir/collective.ts';
import type { ShouldStop } from '../../ir/effort.ts';
import { perOperation } from '../limits.ts';
import { CheapestPaths, HopLoads, type Hops } from './hops.ts';
import { type ClassTree, cheapestStops, classTreeOf, exscanStops, hopsIn, type Scheme, type Stops } from './scheme.ts';

/** Times that all classes of all chunks are put back. */
const mostPasses = 6;

export interface SchemePacking {
  /** One for each chunk. */
  readonly schemes: readonly Scheme[];
  /** For how long the busiest resource is held, in seconds for each byte of a whole message. */
  readonly load: number;
  /** Messages in all. */
  readonly messages: number;
}

/** Schemes for one number of chunks after the other. */
export class Packer {
  private readonly kind: CollectiveKind;
  private readonly hops: Hops;
  private readonly shouldStop: ShouldStop | undefined;
  /** Chunks as they were first put, and what they hold. */
  private readonly chunks: Chunk[] = [];
  private readonly loads: HopLoads;
  private readonly paths: CheapestPaths;
  private stops = false;

  constructor(kind: CollectiveKind, hops: Hops, shouldStop?: ShouldStop) {
    this.kind = kind;
    this.hops = hops;
    this.shouldStop = shouldStop;
    this.loads = new HopLoads(hops);
    this.paths = new CheapestPaths(hops);
  }

  /** For so many chunks, or for as many as there is time for: the best packing that passes come to. No fewer than were asked for before. */
  packing(count: number): SchemePacking {
    while (this.chunks.length < count && !this.stops) this.add();
    const chunks = this.chunks.map(({ stops, scheme }) => ({ stops, scheme: [...scheme] }));
    const loads = this.loads.copy();
    let best = packingOf(chunks, loads);
    for (let passes = 0; passes < mostPasses && !this.stops; passes++) {
      for (const chunk of chunks) if (!this.stops) this.improve(chunk, loads);
      const found = packingOf(chunks, loads);
      const isBetter = found.load < best.load * (1 - 1e-9);
      if (!isBetter && (found.load > best.load * (1 + 1e-9) || found.messages >= best.messages)) break;
      best = found;
    }
    return best;
  }

  /** One more chunk, by the cheapest scheme, all of whose hops cost what they do before any is taken. */
  private add(): void {
    const { hops, loads, paths } = this;
    const { ranks } = hops;
    loads.rescale();
    const prices = loads.prices();
    // In an exscan a class goes nowhere but to the next rank.
    const isScan = this.kind === 'scan';
    const stops = isScan
      ? cheapestStops(hops.outgoing.map((_, from) => paths.costs(prices, from)))
      : exscanStops(ranks);
    const way = (from: number, to: number) => paths.path(prices, from, to, true);
    const scheme = stops.map((stop, rank) => classTreeOf(hops, way, rank, stop));
    this.chunks.push({ stops, scheme });
    for (const tree of scheme) loads.put(hopsIn(tree), 1);
    this.tell(isScan ? ranks ** 3 / 2 : 0);
  }

  /** Takes each class of a chunk out and puts it back by the ways that are cheapest then, meeting others where it did. */
  private improve({ stops, scheme }: Chunk, loads: HopLoads): void {
    const { hops, paths } = this;
    const way = (from: number, to: number) => paths.path(loads.prices(), from, to);
    loads.rescale();
    for (const [rank, stop] of stops.entries()) {
      loads.put(hopsIn(scheme[rank]), -1);
      scheme[rank] = classTreeOf(hops, way, rank, stop);
      loads.put(hopsIn(scheme[rank]), 1);
    }
    this.tell(0);
  }

  /** What has been looked at: by ways, and stops that have been held against each other. */
  private tell(stops: number): void {
    const looks = this.paths.probes + stops;
    this.paths.probes = 0;
    this.stops = this.shouldStop?.(looks / perOperation.arcs) === true;
  }
}

interface Chunk {
  readonly stops: readonly Stops[];
  /** By class. */
  readonly scheme: ClassTree[];
}

function packingOf(chunks: readonly Chunk[], loads: HopLoads): SchemePacking {
  const schemes = chunks.map(({ scheme }) => [...scheme]);
  const messages = schemes.flat().reduce((sum, tree) => sum + hopsIn(tree).length, 0);
  return { schemes, load: loads.busiest() / schemes.length, messages };
}
