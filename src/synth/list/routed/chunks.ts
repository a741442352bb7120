/** How many chunks it takes to share a machine evenly. */
import { type Effort, partOfWork, type ShouldStop } from '../../../ir/effort.ts';
import type { Random } from '../../../ir/random.ts';
import type { ArcNetwork } from '../../arcs.ts';
import type { Parcel } from './parcels.ts';
import { balancedPaths, closeEnough, type Routing } from './paths.ts';

/** Arcs and ranks that the search for paths may look at for each number of chunks: a tenth of a second for each million. */
const mostLooks = 2.4e6;
/** Passes over all parcels that are made even where these are more. */
const leastPasses = 4;

/** Parcels from some ranks to others, and their paths. */
export interface RoutedPairs {
  /** Parcels per pair, or for each unit of what ranks have for others: as many of weight 1 are a unit. */
  readonly chunks: number;
  readonly parcels: readonly Parcel[];
  readonly routing: Routing;
}

export interface ChunkSearch {
  /** As the user asked for it: parcels are then made of several chunks, or of one. */
  readonly chunks: number | undefined;
  /** Parcels per pair (or unit) that are tried, 1 among them. */
  readonly chunkCounts: readonly number[];
  readonly random: Random;
  /** How much is done for paths that are shared evenly; `full` if left out. */
  readonly effort?: Effort | undefined;
  /** Only ways of least latency. */
  readonly soonest?: boolean | undefined;
  readonly shouldStop?: ShouldStop | undefined;
}

/**
 * Paths for the smallest number of parcels per pair that shares the machine (almost) best; undefined where some rank cannot be reached.
 * @param parcelsFor the parcels for so many per pair (or unit)
 */
export function fewestChunks(
  network: ArcNetwork,
  parcelsFor: (chunks: number) => readonly Parcel[],
  { chunks: wanted, chunkCounts, random, effort = 'full', soonest, shouldStop }: ChunkSearch,
): RoutedPairs | undefined {
  const looks = mostLooks * partOfWork[effort];
  let best: RoutedPairs | undefined;
  const load = ({ routing, chunks }: RoutedPairs): number => routing.busiest / chunks;
  for (const chunks of chunkCounts.filter((count) => wanted === undefined || wanted % count === 0)) {
    const parcels = parcelsFor(chunks);
    const search = {
      random,
      effort: looks,
      leastPasses: Math.ceil(leastPasses * partOfWork[effort]),
      soonest,
      shouldStop,
    };
    const routing = balancedPaths(network, parcels, search);
    if (routing === undefined) return undefined;
    const found = { chunks, parcels, routing };
    if (best === undefined || load(found) * closeEnough < load(best)) best = found;
    const isTight = routing.busiest <= routing.bound * closeEnough;
    const isLarge = routing.effort > 2 * looks;
    if (isTight || isLarge || shouldStop?.() === true) break;
  }
  return best;
}
