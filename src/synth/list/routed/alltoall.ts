/** Alltoall on any machine: paths for all pairs that share it evenly, then rounds of messages, store and forward. */
import { Random } from '../../../ir/random.ts';
import type { ArcNetwork } from '../../arcs.ts';
import { distancesFrom } from '../../distances.ts';
import { dismissed, type Problem, type Proposal } from '../../engine.ts';
import { equalShares } from '../../shares.ts';
import { limits } from '../limits.ts';
import { alltoallSchedule } from './alltoall-schedule.ts';
import { choices, isStrict } from './choices.ts';
import { fewestChunks } from './chunks.ts';
import { routedNetwork } from './network.ts';
import { parcelsFrom, unfolded } from './parcels.ts';
import { identity, quotient, representatives, type Symmetry, symmetryOf } from './symmetry.ts';
import { averageBytes, parcelsOfPairs, unequalCounts } from './unequal-pairs.ts';

/** Chunks per pair that are tried. */
const chunkCounts = [1, 2, 3, 4];
const name = 'routed-alltoall';

/** Proposes schedules over ways of least latency and over paths that share the machine evenly. */
export function* proposeAlltoall(problem: Problem): Iterable<Proposal> {
  const { collective, routes, seed } = problem;
  const { ranks } = collective;
  if (ranks < 2) return;
  const network = routedNetwork(routes);
  const counts = unequalCounts(collective);
  const symmetryIn = (machine: ArcNetwork): Symmetry =>
    counts === undefined ? symmetryOf(machine, routes.topology.shape) : identity(machine);
  const symmetry = network === undefined ? undefined : symmetryIn(network);
  if (network === undefined || symmetry === undefined || effortOf(network, symmetry) > limits.effort) {
    yield dismissed(name, `to search paths for all pairs of ${ranks} ranks would take too long`);
    return;
  }
  const reduced = quotient(network, symmetry);
  const sources = representatives(symmetry);
  const hops = symmetry.images.length * sources.reduce((sum, source) => sum + hopsFrom(reduced, source), 0);
  if (Number.isFinite(hops) && hops > limits.hops) {
    yield dismissed(name, `${hops} hops of parcels are more than a plan should have`);
    return;
  }
  const random = new Random(seed);
  const parcelsFor =
    counts === undefined
      ? (chunks: number) => sources.flatMap((source) => parcelsFrom(source, equalShares(allRanks(ranks)), chunks))
      : (chunks: number) => parcelsOfPairs(counts, ranks, chunks);
  // Parcels of pairs that differ are parts of them whatever C is.
  const search = { ...problem, chunks: counts === undefined ? problem.chunks : undefined, random };
  const soonest = fewestChunks(reduced, parcelsFor, { ...search, chunkCounts: [1], soonest: true });
  const affordable = chunkCounts.filter((chunks) => chunks * hops <= limits.hops);
  const even = fewestChunks(reduced, parcelsFor, { ...search, chunkCounts: affordable });
  if (soonest === undefined || even === undefined) {
    yield dismissed(name, 'some rank cannot be reached from some other');
    return;
  }
  const strict = isStrict(network, routes.topology);
  for (const { about, pairs, rounds } of choices({
    network: reduced,
    soonest,
    even,
    strict,
    unitBytes: counts === undefined ? problem.size / ranks : averageBytes(counts),
  })) {
    const { parcels, routing } = pairs;
    const wanted = problem.chunks ?? parcels.reduce((most, { parts }) => Math.max(most, parts), 1);
    const full = unfolded({ parcels, paths: routing.paths, rounds }, symmetry);
    const candidate = {
      name: `${name} (${about})`,
      origin: { engine: 'list', schedule: name },
      build: (multiple: number) => alltoallSchedule(name, { ...collective, chunks: wanted * multiple }, network, full),
    };
    yield { kind: 'candidate', candidate };
  }
}

function allRanks(ranks: number): readonly number[] {
  return Array.from({ length: ranks }, (_, rank) => rank);
}

function effortOf({ arcs, ranks }: ArcNetwork, { images }: Symmetry): number {
  return (ranks / images.length) * (ranks + arcs.length);
}

/** Arcs to all other ranks by the shortest paths, together; Infinity where some rank is out of reach. */
function hopsFrom({ arcs, outgoing, ranks }: ArcNetwork, source: number): number {
  const next = (at: number) => outgoing[at].map((arc) => arcs[arc].to);
  return distancesFrom(source, ranks, next).reduce((sum, distance) => sum + distance, 0);
}
