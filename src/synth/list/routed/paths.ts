/**
 * Paths that share the machine evenly. Multicommodity flow is approximated by routing one parcel after the other along the
 * path of least price, where the price of a resource grows with a high power of how busy it is (the idea of the exponential
 * lengths of Garg and Könemann, SIAM J. Comput. 37, 2007, here with whole parcels that are routed anew until nothing gets
 * better). Any prices give a lower bound too: what the demands cost at least, over what all resources cost.
 */
import type { ShouldStop } from '../../../ir/effort.ts';
import type { Random } from '../../../ir/random.ts';
import type { Seconds } from '../../../ir/units.ts';
import type { ArcNetwork } from '../../arcs.ts';
import { perOperation, tolerance } from '../../limits.ts';
import { limits } from '../limits.ts';
import { CheapestPaths } from './cheapest.ts';
import { leastLatencies } from './latencies.ts';
import { Market, sharpness } from './market.ts';

/** One parcel that goes from one rank to another. */
export interface Demand {
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
  /** So many passes are made whatever they take; 1 if left out. */
  readonly leastPasses?: number | undefined;
  /** Only ways of least latency, however busy they are. */
  readonly soonest?: boolean | undefined;
  readonly shouldStop?: ShouldStop | undefined;
}

/** What load adds to the price of a resource, at the least possible, relative to its price when idle: from pass to pass. */
const weights = [0, 0.1, 1, 4, 16, 64, 256, 1024];
/** Where there is no effort for all of these: even after one pass loads are nearly even. */
const fewerWeights = weights.slice(2);
/** For the bound prices are loads to these powers, whichever proves more. */
const boundPowers = [sharpness, 60];
/** Loads of the busiest resource that differ by less count as the same: the search ends so close to its bound. */
export const closeEnough = 1 + tolerance;

/**
 * Routes all demands. At first load hardly counts and all take shortest paths; it counts for more and more, so that detours
 * are made only where they relieve somebody. Starts anew, in another order, while there is effort left and the bound is not met.
 *
 * @returns undefined where some demand has no path
 */
export function balancedPaths(
  network: ArcNetwork,
  demands: readonly Demand[],
  { random, effort, leastPasses = 1, soonest, shouldStop }: PathSearch,
): Routing | undefined {
  const market = new Market(network);
  const cheapest = new CheapestPaths(network, market, random);
  const bySource = demandsBySource(demands);
  if (soonest === true) {
    cheapest.keepLatency(new Map([...bySource.keys()].map((source) => [source, leastLatencies(network, source)])));
  }
  let bound = leastBusy(bySource, market, cheapest);
  if (!Number.isFinite(bound)) return undefined;
  const looks = looksOfPass(network, demands);
  const most = Math.min(
    Math.ceil(looks / limits.looksOneByOne),
    Math.ceil(demands.length / bySource.size / limits.batchesOfSource),
  );
  const tariffs = (weights.length * looks) / most > effort ? fewerWeights : weights;
  let best: Pick<Routing, 'paths' | 'busiest'> | undefined;
  let passes = 0;
  const isDone = (): boolean => best !== undefined && best.busiest <= bound * closeEnough;
  const isOver = (): boolean => passes >= leastPasses && cheapest.work >= effort;
  let told = 0;
  const isTimeUp = (): boolean => {
    const work = cheapest.work - told;
    told = cheapest.work;
    return shouldStop?.(work / perOperation.arcs) === true;
  };
  for (let failures = 0; !isDone() && failures < limits.patience && !(isTimeUp() && best !== undefined); failures++) {
    if (best !== undefined && isOver()) break;
    market.clear();
    const paths: (readonly number[])[] = demands.map(() => []);
    const batches = inBatches(demands, random.shuffle(demands.map((_, index) => index)), most);
    for (const weight of tariffs) {
      market.charge(bound, weight);
      for (const batch of batches) reroute(batch, demands, paths, market, cheapest);
      passes++;
      const { busiest } = market;
      if (best === undefined || busiest < best.busiest * (1 - 1e-9)) {
        best = { paths: [...paths], busiest };
        failures = -1;
      }
      for (const power of boundPowers) {
        market.chargeBusiest(power);
        bound = Math.max(bound, leastBusy(bySource, market, cheapest));
      }
      if (isDone() || isOver()) break;
    }
  }
  isTimeUp();
  if (best === undefined) return undefined;
  return { ...best, weights: demands.map(({ weight }) => weight), bound, effort: cheapest.work };
}

/** Arcs and ranks that are looked at, about, to find each demand a path by itself. */
function looksOfPass({ ranks, arcs }: ArcNetwork, demands: readonly Demand[]): number {
  return (demands.length * (ranks + arcs.length)) / 2;
}

/** Demands of one source that are routed together, `most` at most, in the order in which the first of each is met. */
function inBatches(demands: readonly Demand[], order: readonly number[], most: number): readonly (readonly number[])[] {
  const batches: number[][] = [];
  const unfilled = new Map<number, number[]>();
  for (const index of order) {
    const { source } = demands[index];
    const known = unfilled.get(source);
    if (known !== undefined && known.length < most) {
      known.push(index);
      continue;
    }
    const batch = [index];
    unfilled.set(source, batch);
    batches.push(batch);
  }
  return batches;
}

/** Gives the demands of a batch the paths of least price, as if each were the only one of them. */
function reroute(
  batch: readonly number[],
  demands: readonly Demand[],
  paths: (readonly number[])[],
  market: Market,
  cheapest: CheapestPaths,
): void {
  for (const index of batch) market.add(paths[index], -demands[index].weight);
  const destinations = batch.map((index) => demands[index].destination);
  const found = cheapest.to(demands[batch[0]].source, destinations, (i) => paths[batch[i]]);
  batch.forEach((index, i) => {
    paths[index] = found[i];
    market.add(paths[index], demands[index].weight);
  });
}

function demandsBySource(demands: readonly Demand[]): ReadonlyMap<number, readonly Demand[]> {
  const bySource = new Map<number, Demand[]>();
  for (const demand of demands) {
    const known = bySource.get(demand.source);
    if (known === undefined) bySource.set(demand.source, [demand]);
    else known.push(demand);
  }
  return bySource;
}

/** The bound that the present prices give; Infinity when some demand has no path. */
function leastBusy(bySource: ReadonlyMap<number, readonly Demand[]>, market: Market, cheapest: CheapestPaths): Seconds {
  let sum = 0;
  for (const [source, demands] of bySource) {
    const prices = cheapest.from(source);
    for (const { destination, weight } of demands) sum += weight * prices[destination];
  }
  return sum / market.totalPrice;
}
