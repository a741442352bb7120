/**
 * Paths that share the machine evenly. Multicommodity flow is approximated by routing one parcel after the other along the
 * path of least price, where the price of a resource grows with a high power of how busy it is (the idea of the exponential
 * lengths of Garg and Könemann, SIAM J. Comput. 37, 2007, here with whole parcels that are routed anew until nothing gets
 * better). Any prices give a lower bound too: what the demands cost at least, over what all resources cost.
 */
import type { Random } from '../../../ir/random.ts';
import type { Seconds } from '../../../ir/units.ts';
import { CheapestPaths } from './cheapest.ts';
import { leastLatencies } from './latencies.ts';
import { Market } from './market.ts';
import type { ArcNetwork } from './network.ts';

/** One parcel that goes from one rank to another. */
export interface Demand {
  readonly source: number;
  readonly destination: number;
}

/** One path (arc numbers) per demand. */
export interface Routing {
  readonly paths: readonly (readonly number[])[];
  /** What the busiest resource takes, in seconds per byte of a parcel. */
  readonly busiest: Seconds;
  /** No routing (over ways of least latency, if it was to keep to them) makes the busiest resource less busy than this. */
  readonly bound: Seconds;
  /** Arcs and ranks that were looked at. */
  readonly effort: number;
}

export interface PathSearch {
  readonly random: Random;
  /** Arcs and ranks that may be looked at. */
  readonly effort: number;
  /** One pass has to do where demands are many for the effort; `all` if left out. */
  readonly passes?: 'one' | 'all' | undefined;
  /** Only ways of least latency, however busy they are. */
  readonly soonest?: boolean | undefined;
  readonly shouldStop?: (() => boolean) | undefined;
}

/** What load adds to the price of a resource, at the least possible, relative to its price when idle: from pass to pass. */
const weights = [0, 0.1, 1, 4, 16, 64, 256, 1024];
/** Where there is effort for one pass alone. */
const weightOfOne = 1;
/** For the bound prices are loads to these powers, whichever proves more. */
const boundPowers = [12, 60];
/** The search ends when the busiest resource is this close to the bound. */
const closeEnough = 1.01;
/** It ends as well when this many attempts in a row have found nothing better. */
const patience = 12;

/**
 * Routes all demands. At first load hardly counts and all take shortest paths; it counts for more and more, so that detours
 * are made only where they relieve somebody. Starts anew, in another order, while there is effort left and the bound is not met.
 *
 * @returns undefined where some demand has no path
 */
export function balancedPaths(
  network: ArcNetwork,
  demands: readonly Demand[],
  { random, effort, passes, soonest, shouldStop }: PathSearch,
): Routing | undefined {
  const market = new Market(network);
  const cheapest = new CheapestPaths(network, market, random);
  const bySource = destinationsBySource(demands);
  if (soonest === true) {
    cheapest.keepLatency(new Map([...bySource.keys()].map((source) => [source, leastLatencies(network, source)])));
  }
  let bound = leastBusy(bySource, market, cheapest);
  if (!Number.isFinite(bound)) return undefined;
  let best: Pick<Routing, 'paths' | 'busiest'> | undefined;
  const isDone = (): boolean => best !== undefined && best.busiest <= bound * closeEnough;
  for (let failures = 0; !isDone() && failures < patience; failures++) {
    if (best !== undefined && (cheapest.work >= effort || shouldStop?.() === true)) break;
    market.clear();
    const paths: (readonly number[])[] = demands.map(() => []);
    const order = random.shuffle(demands.map((_, index) => index));
    for (const weight of passes === 'one' ? [weightOfOne] : weights) {
      market.charge(bound, weight);
      for (const index of order) {
        const { source, destination } = demands[index];
        market.add(paths[index], -1);
        paths[index] = cheapest.to(source, destination, paths[index]);
        market.add(paths[index], 1);
      }
      const { busiest } = market;
      if (best === undefined || busiest < best.busiest * (1 - 1e-9)) {
        best = { paths: [...paths], busiest };
        failures = -1;
      }
      for (const power of boundPowers) {
        market.chargeBusiest(power);
        bound = Math.max(bound, leastBusy(bySource, market, cheapest));
      }
      if (isDone() || cheapest.work >= effort) break;
    }
  }
  return best === undefined ? undefined : { ...best, bound, effort: cheapest.work };
}

function destinationsBySource(demands: readonly Demand[]): ReadonlyMap<number, readonly number[]> {
  const bySource = new Map<number, number[]>();
  for (const { source, destination } of demands) {
    const known = bySource.get(source);
    if (known === undefined) bySource.set(source, [destination]);
    else known.push(destination);
  }
  return bySource;
}

/** The bound that the present prices give; Infinity when some demand has no path. */
function leastBusy(bySource: ReadonlyMap<number, readonly number[]>, market: Market, cheapest: CheapestPaths): Seconds {
  let sum = 0;
  for (const [source, destinations] of bySource) {
    const prices = cheapest.from(source);
    for (const destination of destinations) sum += prices[destination];
  }
  return sum / market.totalPrice;
}
