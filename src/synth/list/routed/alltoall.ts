/** Alltoall on any machine: paths for all pairs that share it evenly, then rounds of messages, store and forward. */
import { Random } from '../../../ir/random.ts';
import type { Problem, Proposal } from '../../engine.ts';
import { alltoallSchedule } from './alltoall-schedule.ts';
import { fewestChunks, type RoutedPairs } from './chunks.ts';
import { arcNetwork } from './network.ts';
import { unfolded } from './parcels.ts';
import { fewestRounds, manyRounds, type RoundMessage } from './rounds.ts';
import { quotient, representatives, symmetryOf } from './symmetry.ts';

/** Chunks per pair that are tried. */
const chunkCounts = [1, 2, 3, 4];
/** Ranks beyond which no path is searched for each pair. */
const mostRanks = 256;
const name = 'routed-alltoall';

/**
 * Proposes a schedule with as few steps as the machine allows (over ways of least latency), one with as few as paths that
 * share the machine evenly allow, and one that keeps its busiest links busy all the time; fewer where these are the same.
 */
export function* proposeAlltoall(problem: Problem): Iterable<Proposal> {
  const { collective, routes, seed } = problem;
  const { ranks } = collective;
  if (ranks < 2) return;
  if (ranks > mostRanks) {
    yield dismissed(`${ranks} ranks are too many to search a path for each pair`);
    return;
  }
  const random = new Random(seed);
  const network = arcNetwork(routes);
  const symmetry = symmetryOf(network, routes.topology.shape);
  const reduced = quotient(network, symmetry);
  const sources = representatives(symmetry);
  const soonest = fewestChunks(reduced, sources, { ...problem, random, chunkCounts: [1], soonest: true });
  const even = fewestChunks(reduced, sources, { ...problem, random, chunkCounts });
  if (soonest === undefined || even === undefined) {
    yield dismissed('some rank cannot be reached from some other');
    return;
  }
  const proposed: { readonly about: string; readonly pairs: RoutedPairs; readonly rounds: RoundMessage[][] }[] = [];
  if (mostHops(soonest) < mostHops(even)) {
    proposed.push({ about: 'shortest ways', pairs: soonest, rounds: fewestRounds(reduced, soonest.routing) });
  }
  proposed.push({ about: 'few steps', pairs: even, rounds: fewestRounds(reduced, even.routing) });
  proposed.push({ about: 'spread', pairs: even, rounds: manyRounds(reduced, even.routing, random) });
  for (const { about, pairs, rounds } of proposed) {
    const { chunks, parcels, routing } = pairs;
    const full = unfolded({ parcels, paths: routing.paths, rounds }, symmetry);
    const candidate = {
      name: `${name} (${about})`,
      origin: { engine: 'list', schedule: name },
      build: (multiple: number) =>
        alltoallSchedule(name, { ...collective, chunks: chunks * multiple }, multiple, network, full),
    };
    yield { kind: 'candidate', candidate };
  }
}

function dismissed(reason: string): Proposal {
  return { kind: 'dismissed', dismissal: { name, reason } };
}

function mostHops({ routing }: RoutedPairs): number {
  return routing.paths.reduce((most, { length }) => Math.max(most, length), 0);
}
