/**
 * Paths that balance the load of the machine's links and ports: minimum-congestion routing of unsplittable demands. Demands are routed one
 * after the other along the cheapest path, where the price of a resource grows with a high power of its load (after the exponential lengths
 * of Garg and Könemann, SIAM J. Comput. 37, 2007; here whole parcels are rerouted until nothing improves, so there is no approximation
 * guarantee). Any prices also give a lower bound by linear-programming duality: the minimum cost of all demands divided by the total price
 * of all resources.
 *
 * Each pass runs Dijkstra's algorithm once per demand or batch of demands; `PathSearch.effort` limits the arcs and ranks visited.
 */
import type { ShouldStop } from '../../../ir/effort.ts';
import type { Random } from '../../../ir/random.ts';
import { rounding, type Seconds } from '../../../ir/units.ts';
import type { ArcNetwork } from '../../arcs.ts';
import { perOperation, relativeTolerance } from '../../limits.ts';
import { listLimits } from '../limits.ts';
import { latenciesFrom } from '../route-table.ts';
import { LinkPrices } from './prices.ts';

/** The data that one rank sends to another. */
export interface RoutedDemand {
  readonly source: number;
  readonly destination: number;
  /** Its bytes, in any unit. */
  readonly weight: number;
}

/** One path (a list of arc indices) per demand. */
export interface Routing {
  readonly paths: readonly (readonly number[])[];
  /** By demand. */
  readonly weights: readonly number[];
  /** Load of the busiest resource, in seconds per byte of a parcel of weight 1. */
  readonly busiest: Seconds;
  /** A lower bound on `busiest` over all routings (over all minimum-latency routings, if `soonest` was requested). */
  readonly bound: Seconds;
  /** Arcs and ranks visited. */
  readonly effort: number;
}

/** Settings and limits of the search for paths. */
export interface PathSearch {
  readonly random: Random;
  /** Once this many arcs and ranks have been visited, no further pass begins. */
  readonly effort: number;
  /** Restricts paths to those of minimum latency, whatever their load. */
  readonly soonest?: boolean | undefined;
  readonly shouldStop?: ShouldStop | undefined;
}

/** By pass: what the minimum possible load adds to the price of a resource, relative to the price of an idle one. */
const weights = [0, 1, 4, 16, 64, 256, 1024];
/** Exponents of the load in prices, for the search and for the bound. Both are so high that the busiest resources decide. */
const powers = { search: 12, bound: 60 } as const;
/** Loads of the busiest resource whose ratio is below this count as equal: the search ends this close to its bound. */
export const closeEnough = 1 + relativeTolerance;

/**
 * Routes all demands, in rounds of several passes (`weights`), each of which reroutes every demand. In the first pass load does not count,
 * so all take shortest paths; it counts for more in each later pass, so that detours arise only where they relieve a busy resource. Further
 * rounds start anew in another random order, until the bound is met, `patience` consecutive rounds bring nothing, or the effort is spent.
 * @param demands between ranks that are connected by some path
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
      // If load does not count, one search finds the paths of all demands of a source.
      for (const batch of weight === 0 && together > 1 ? sources.values() : batches)
        reroute(batch, demands, paths, prices);
      const { busiest } = prices;
      if (busiest < best.busiest * (1 - rounding)) {
        best = { paths: [...paths], busiest };
        failures = -1;
      }
      prices.charge({ reference: busiest, idle: 0, weight: 1, power: powers.bound });
      bound = Math.max(bound, leastLoadedPath(demands, sources, prices));
      // At least two passes run: after the second, loads are nearly even already.
      isDone = best.busiest <= bound * closeEnough || (isOver() && weight > 0);
      if (isDone) break;
    }
  }
  return { ...best, weights: demands.map(({ weight }) => weight), bound, effort: prices.work };
}

/** Groups the indices of demands, in the given order, by source. */
function bySource(demands: readonly RoutedDemand[], order: Iterable<number>): ReadonlyMap<number, readonly number[]> {
  const groups = new Map<number, number[]>();
  for (const index of order) {
    const known = groups.get(demands[index].source);
    if (known === undefined) groups.set(demands[index].source, [index]);
    else known.push(index);
  }
  return groups;
}

/** All demands in random order, in batches of up to `together` demands of one source. The demands of a batch do not see each other's load. */
function inBatches(demands: readonly RoutedDemand[], random: Random, together: number): readonly (readonly number[])[] {
  const order = random.shuffle([...demands.keys()]);
  if (together === 1) return order.map((index) => [index]);
  const batches = [...bySource(demands, order).values()].flatMap((own) => {
    const count = Math.ceil(own.length / together);
    return Array.from({ length: count }, (_, at) => own.slice(at * together, (at + 1) * together));
  });
  return random.shuffle(batches);
}

/** Reroutes the demands of a batch along the cheapest paths, each as if it were the only one of them. */
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

/** The lower bound that follows from the current prices. */
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
