/** Alltoall on any machine: paths for all pairs that share it evenly, then rounds of messages, store and forward. */
import { Random } from '../../../ir/random.ts';
import type { Problem, Proposal } from '../../engine.ts';
import { alltoallSchedule } from './alltoall-schedule.ts';
import { fewestChunks } from './chunks.ts';
import { arcNetwork } from './network.ts';
import { unfolded } from './parcels.ts';
import { fewestRounds, manyRounds } from './rounds.ts';
import { quotient, representatives, symmetryOf } from './symmetry.ts';

/** Chunks per pair that are tried. */
const chunkCounts = [1, 2, 3, 4];
/** Ranks beyond which no path is searched for each pair. */
const mostRanks = 256;

/** Proposes one schedule with as few steps as possible, and one that keeps the busiest links busy all the time. */
export function* proposeAlltoall(problem: Problem): Iterable<Proposal> {
  const { collective, routes, seed } = problem;
  const { ranks } = collective;
  const name = 'routed-alltoall';
  if (ranks < 2) return;
  if (ranks > mostRanks) {
    yield {
      kind: 'dismissed',
      dismissal: { name, reason: `${ranks} ranks are too many to search a path for each pair` },
    };
    return;
  }
  const network = arcNetwork(routes);
  const symmetry = symmetryOf(network, routes.topology.shape);
  const reduced = quotient(network, symmetry);
  const routed = fewestChunks(reduced, representatives(symmetry), {
    ...problem,
    random: new Random(seed),
    chunkCounts,
  });
  if (routed === undefined) {
    yield { kind: 'dismissed', dismissal: { name, reason: 'some rank cannot be reached from some other' } };
    return;
  }
  const { parcels, routing, chunks } = routed;
  for (const { about, rounds } of [
    { about: 'few steps', rounds: fewestRounds(reduced, routing) },
    { about: 'spread', rounds: manyRounds(reduced, routing) },
  ]) {
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
