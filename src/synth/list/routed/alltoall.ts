/** Alltoall on any machine: paths for all pairs that share it evenly, then rounds of messages, store and forward. */
import { Random } from '../../../ir/random.ts';
import type { Problem, Proposal } from '../../engine.ts';
import { alltoallSchedule } from './alltoall-schedule.ts';
import { type ArcNetwork, arcNetwork } from './network.ts';
import { type Parcel, unfolded } from './parcels.ts';
import { balancedPaths, type Routing } from './paths.ts';
import { scheduleRounds } from './rounds.ts';
import { quotient, representatives, symmetryOf } from './symmetry.ts';

/** Chunks per pair that are tried. */
const chunkCounts = [1, 2, 3, 4];
/** Arcs and ranks that the search for paths may look at for each of them: less than a tenth of a second. */
const searchEffort = 5e6;
/** More chunks must relieve the busiest link by this much. */
const worthwhile = 1.01;
/** Pairs of ranks beyond which no paths are searched. */
const mostPairs = 2 ** 16;
/** Rounds that the busiest link is to have work in: more make more messages, fewer leave links idle for longer. */
const workingRounds = 16;

/** Proposes one schedule with as few steps as the machine is wide, and one that keeps the busiest links busy all the time. */
export function* proposeAlltoall(problem: Problem): Iterable<Proposal> {
  const { collective, routes } = problem;
  const { ranks } = collective;
  const name = 'routed-alltoall';
  if (ranks < 2) return;
  if (ranks * ranks > mostPairs) {
    yield {
      kind: 'dismissed',
      dismissal: { name, reason: `${ranks} ranks are too many to search a path for each pair` },
    };
    return;
  }
  const network = arcNetwork(routes);
  const symmetry = symmetryOf(network, routes.topology.shape);
  const reduced = quotient(network, symmetry);
  const routed = routedParcels(reduced, representatives(symmetry), problem);
  if (routed === undefined) {
    yield { kind: 'dismissed', dismissal: { name, reason: 'some rank cannot be reached from some other' } };
    return;
  }
  const { parcels, routing, chunks } = routed;
  const { paths, busiest } = routing;
  const slowest = Math.max(...paths.flatMap((path) => path.flatMap((arc) => reduced.arcs[arc].secondsPerByte)));
  const quanta = [
    { about: 'few steps', quantum: Number.POSITIVE_INFINITY },
    { about: 'spread', quantum: Math.max(slowest, busiest / workingRounds) },
  ];
  for (const { about, quantum } of quanta) {
    const rounds = scheduleRounds(reduced, paths, quantum);
    const full = unfolded({ parcels, paths, rounds }, symmetry);
    const candidate = {
      name: `${name} (${about})`,
      origin: { engine: 'list', schedule: name },
      build: (multiple: number) =>
        alltoallSchedule(name, { ...collective, chunks: chunks * multiple }, multiple, network, full),
    };
    yield { kind: 'candidate', candidate };
  }
}

interface RoutedPairs {
  readonly chunks: number;
  readonly parcels: readonly Parcel[];
  readonly routing: Routing;
}

/** Paths from some ranks to all others, with the smallest number of chunks per pair that shares the machine (almost) best. */
function routedParcels(
  network: ArcNetwork,
  sources: readonly number[],
  { chunks: wanted, seed, shouldStop }: Problem,
): RoutedPairs | undefined {
  const random = new Random(seed);
  let best: RoutedPairs | undefined;
  for (const chunks of wanted === undefined ? chunkCounts : [wanted]) {
    const parcels = parcelsFrom(sources, network.ranks, chunks);
    const routing = balancedPaths(network, parcels, { random, effort: searchEffort, shouldStop });
    if (routing === undefined) return undefined;
    const load = ({ routing, chunks }: RoutedPairs): number => routing.busiest / chunks;
    const found = { chunks, parcels, routing };
    if (best === undefined || load(found) * worthwhile < load(best)) best = found;
    if (routing.busiest <= routing.bound * worthwhile || shouldStop?.() === true) break;
    if (routing.effort > 2 * searchEffort) break; // a large machine: one pass took more than there was to spend
  }
  return best;
}

/** `chunks` parcels from each of the sources to every other rank. */
function parcelsFrom(sources: readonly number[], ranks: number, chunks: number): Parcel[] {
  const parcels: Parcel[] = [];
  for (const source of sources) {
    for (let destination = 0; destination < ranks; destination++) {
      if (destination === source) continue;
      for (let chunk = 0; chunk < chunks; chunk++) parcels.push({ source, destination, chunk });
    }
  }
  return parcels;
}
