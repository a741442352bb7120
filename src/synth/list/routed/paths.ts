/**
 * Paths that share the machine evenly. Multicommodity flow is approximated by routing one parcel after the other along the
 * path of least price, where the price of a resource grows with a high power of how busy it is (the idea of the exponential
 * lengths of Garg and Könemann, SIAM J. Comput. 37, 2007, here with whole parcels that are routed anew until nothing gets
 * better). Any prices give a lower bound too: what the demands cost at least, over what all resources cost.
 */
import type { ShouldStop } from '../../../ir/effort.ts';
import type { Random } from '../../../ir/random.ts';
import { rounding, type Seconds } from '../../../ir/units.ts';
import type { ArcNetwork } from '../../arcs.ts';
import { perOperation, relativeTolerance } from '../../limits.ts';
import { listLimits } from '../limits.ts';
import { latenciesFrom } from '../route-table.ts';
import { LinkPrices } from './prices.ts';

/** What one rank has for another. */
export interface RoutedDemand {
  readonly source: number;
  readonly destination: number;
  /** Its bytes, in any unit. */
  readonly weight: number;
}

/** One path (arc numbers) per demand. */
export interface Routing {
  readonly paths: readonly (readonly number[])[];
  /** By demand. */
  readonly weights: readonly number[];
  /** What the busiest resource takes, in seconds per byte of a parcel of weight 1. */
  readonly busiest: Seconds;
  /** No routing (over ways of least latency, if it was to keep to them) makes the busiest resource less busy than this. */
  readonly bound: Seconds;
  /** Arcs and ranks that were looked at. */
  readonly effort: number;
}

export interface PathSearch {
  readonly random: Random;
  /** Arcs and ranks that may be looked at before no further pass is begun. */
  readonly effort: number;
  /** Only ways of least latency, however busy they are. */
  readonly soonest?: boolean | undefined;
  readonly shouldStop?: ShouldStop | undefined;
}

/** What the least possible load adds to the price of a resource, relative to its price when idle: from pass to pass. */
const weights = [0, 1, 4, 16, 64, 256, 1024];
/** Prices grow with these powers of loads: while paths are searched, and for the bound. Both are high enough that the busiest decide. */
const powers = { search: 12, bound: 60 } as const;
/** Loads of the busiest resource that differ by less count as the same: the search ends so close to its bound. */
export const closeEnough = 1 + relativeTolerance;

/**
 * Routes all demands. At first load hardly counts and all take shortest paths; it counts for more and more, so that detours are made
 * only where they relieve somebody. Starts anew, in another order, while there is effort left and the bound is not met.
 *
 * @param demands between ranks that have a path
 */
export function balancedRoutes(
  network: ArcNetwork,
  demands: readonly RoutedDemand[],
  { random, effort, soonest, shouldStop }: PathSearch,
): Routing {
  const prices = new LinkPrices(network, random);
  const sources = bySource(demands, demands.keys());
  if (soonest === true) {
    prices.keepTo(new Map([...sources.keys()].map((from) => [from, latenciesFrom(network, from)])));
  }
  const looks = (demands.length * (network.ranks + network.arcs.length)) / 2;
  const perSource = demands.length / sources.size;
  const together = Math.ceil(Math.min(looks / listLimits.looksOneByOne, perSource / listLimits.batchesOfSource));
  let bound = leastLoadedPath(demands, sources, prices);
  let best: Pick<Routing, 'paths' | 'busiest'> = { paths: [], busiest: Number.POSITIVE_INFINITY };
  let told = 0;
  const isOver = (): boolean => {
    const work = (prices.work - told) / perOperation.arcs;
    told = prices.work;
    return shouldStop?.(work) === true || prices.work >= effort;
  };
  let isDone = false;
  for (let failures = 0; failures < listLimits.patience && !isDone; failures++) {
    prices.clear();
    const paths: (readonly number[])[] = demands.map(() => []);
    const batches = inBatches(demands, random, together);
    for (const weight of weights) {
      prices.charge({ reference: bound, idle: 1, weight, power: powers.search });
      // Where load does not count, one search finds all paths of a source.
      for (const batch of weight === 0 && together > 1 ? sources.values() : batches)
        reroute(batch, demands, paths, prices);
      const { busiest } = prices;
      if (busiest < best.busiest * (1 - rounding)) {
        best = { paths: [...paths], busiest };
        failures = -1;
      }
      prices.charge({ reference: busiest, idle: 0, weight: 1, power: powers.bound });
      bound = Math.max(bound, leastLoadedPath(demands, sources, prices));
      // Even after one more pass than the first loads are nearly even.
      isDone = best.busiest <= bound * closeEnough || (isOver() && weight > 0);
      if (isDone) break;
    }
  }
  return { ...best, weights: demands.map(({ weight }) => weight), bound, effort: prices.work };
}

/** Numbers of demands, in some order, by their sources. */
function bySource(demands: readonly RoutedDemand[], order: Iterable<number>): ReadonlyMap<number, readonly number[]> {
  const groups = new Map<number, number[]>();
  for (const index of order) {
    const known = groups.get(demands[index].source);
    if (known === undefined) groups.set(demands[index].source, [index]);
    else known.push(index);
  }
  return groups;
}

/** All demands in an order of chance, in batches of so many of one source, or less: in a batch none sees what the others take. */
function inBatches(demands: readonly RoutedDemand[], random: Random, together: number): readonly (readonly number[])[] {
  const order = random.shuffle([...demands.keys()]);
  if (together === 1) return order.map((index) => [index]);
  const batches = [...bySource(demands, order).values()].flatMap((own) => {
    const count = Math.ceil(own.length / together);
    return Array.from({ length: count }, (_, at) => own.slice(at * together, (at + 1) * together));
  });
  return random.shuffle(batches);
}

/** Gives the demands of a batch the paths of least price, as if each were the only one of them. */
function reroute(
  batch: readonly number[],
  demands: readonly RoutedDemand[],
  paths: (readonly number[])[],
  prices: LinkPrices,
): void {
  for (const index of batch) prices.add(paths[index], -demands[index].weight);
  const wanted = batch.map((index) => ({ destination: demands[index].destination, before: paths[index] }));
  for (const [i, path] of prices.to(demands[batch[0]].source, wanted).entries()) {
    paths[batch[i]] = path;
    prices.add(path, demands[batch[i]].weight);
  }
}

/** The bound that the present prices give. */
function leastLoadedPath(
  demands: readonly RoutedDemand[],
  sources: ReturnType<typeof bySource>,
  prices: LinkPrices,
): Seconds {
  let sum = 0;
  for (const [source, own] of sources) {
    const reached = prices.from(source);
    for (const index of own) sum += demands[index].weight * reached[demands[index].destination];
  }
  return sum / prices.total;
}
