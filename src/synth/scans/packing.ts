/**
 * Chooses the schemes that scan a message's chunks so that no link carries much more than it must. Greedy construction: each chunk takes
 * the cheapest scheme at prices that grow with the load of links and ports (after the multiplicative weights of Garg and Könemann 2007,
 * here for few whole chunks, without their guarantee). Local search: the path of each class is removed and rerouted, one by one, as long as
 * that helps, now with the load of the same chunk's other classes in view.
 */
import type { CollectiveKind } from '../../ir/collective.ts';
import type { ShouldStop } from '../../ir/effort.ts';
import { perOperation } from '../limits.ts';
import { CheapestPaths, HopLoads, type Hops } from './hops.ts';
import { type ClassTree, cheapestStops, classTreeOf, exscanStops, hopsIn, type Scheme, type Stops } from './scheme.ts';

/** Maximum number of local-search passes over all classes of all chunks. */
const mostPasses = 6;

/** Schemes chosen for several chunks that share the machine. */
export interface SchemePacking {
  /** One for each chunk. */
  readonly schemes: readonly Scheme[];
  /** Load of the busiest resource, in seconds per byte of a whole message. */
  readonly load: number;
  /** Total number of messages. */
  readonly messages: number;
}

/** Makes packings for increasing numbers of chunks. */
export class Packer {
  private readonly kind: CollectiveKind;
  private readonly hops: Hops;
  private readonly shouldStop: ShouldStop | undefined;
  /** The chunks as constructed, before local search, and their loads. */
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

  /** Returns the best packing found for `count` chunks, or for fewer if the work limit ends it. `count` must not decrease from call to call. */
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

  /** Adds a chunk with the cheapest scheme; prices stay fixed while it is found. */
  private add(): void {
    const { hops, loads, paths } = this;
    const { ranks } = hops;
    loads.rescale();
    const prices = loads.prices();
    // In an exscan a class goes only to the next rank.
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

  /** Removes each class of a chunk and reroutes it along the paths that are cheapest then; classes still meet at the same ranks. */
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

  /**
   * Reports work to the budget.
   * @param stops comparisons of stops made, besides the path searches
   */
  private tell(stops: number): void {
    const looks = this.paths.probes + stops;
    this.paths.probes = 0;
    this.stops = this.shouldStop?.(looks / perOperation.arcs) === true;
  }
}

interface Chunk {
  readonly stops: readonly Stops[];
  /** The path of each class, as a tree. */
  readonly scheme: ClassTree[];
}

function packingOf(chunks: readonly Chunk[], loads: HopLoads): SchemePacking {
  const schemes = chunks.map(({ scheme }) => [...scheme]);
  const messages = schemes.flat().reduce((sum, tree) => sum + hopsIn(tree).length, 0);
  return { schemes, load: loads.busiest() / schemes.length, messages };
}
