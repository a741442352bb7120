/** Alltoall on any machine: paths for all pairs that share it evenly, then rounds of messages, store and forward. */
import { Random } from '../../../ir/random.ts';
import type { Topology } from '../../../ir/topology.ts';
import type { Problem, Proposal } from '../../engine.ts';
import { alltoallSchedule } from './alltoall-schedule.ts';
import { fewestChunks, type RoutedPairs } from './chunks.ts';
import { type ArcNetwork, arcNetwork } from './network.ts';
import { unfolded } from './parcels.ts';
import { fewestRounds, manyRounds, type RoundMessage, secondsOf } from './rounds.ts';
import { quotient, representatives, type Symmetry, symmetryOf } from './symmetry.ts';

/** Chunks per pair that are tried. */
const chunkCounts = [1, 2, 3, 4];
/** Arcs and ranks to look at if each search for a path looks at all: beyond that no paths are searched. */
const mostEffort = 2e7;
/** Hops of all parcels together: beyond that there are no candidates, since proving them would take long. */
const mostHops = 200_000;
/** Rounds that are this close to the load of the busiest link are even. */
const evenEnough = 1.005;
/** How often other paths are tried for evenly filled rounds, and how many arcs and ranks may be looked at for it. */
const mostReroutings = 16;
const reroutingEffort = 1e6;
const name = 'routed-alltoall';

/**
 * Proposes a schedule with as few steps as the machine allows (over ways of least latency), one with as few as paths that
 * share the machine evenly allow, and one that keeps its busiest links busy all the time; fewer where these are the same.
 */
export function* proposeAlltoall(problem: Problem): Iterable<Proposal> {
  const { collective, routes, seed } = problem;
  const { ranks } = collective;
  if (ranks < 2) return;
  const network = arcNetwork(routes);
  const symmetry = network === undefined ? undefined : symmetryOf(network, routes.topology.shape);
  if (network === undefined || symmetry === undefined || effortOf(network, symmetry) > mostEffort) {
    yield dismissed(`to search paths for all pairs of ${ranks} ranks would take too long`);
    return;
  }
  const random = new Random(seed);
  const reduced = quotient(network, symmetry);
  const sources = representatives(symmetry);
  const soonest = fewestChunks(reduced, sources, { ...problem, random, chunkCounts: [1], soonest: true });
  if (soonest === undefined) {
    yield dismissed('some rank cannot be reached from some other');
    return;
  }
  const hops = (symmetry.images.length * hopsOf(soonest).total) / soonest.chunks;
  const affordable = chunkCounts.filter((chunks) => chunks * hops <= mostHops);
  const even = fewestChunks(reduced, sources, { ...problem, random, chunkCounts: affordable });
  if (even === undefined || hops * even.chunks > mostHops) {
    yield dismissed(`${hops} hops of parcels are more than a plan should have`);
    return;
  }
  const reroute = () => fewestChunks(reduced, sources, { ...problem, random, chunks: even.chunks, chunkCounts });
  const strict = isStrict(network, routes.topology);
  for (const { about, pairs, rounds } of proposals({ network: reduced, soonest, even, reroute, strict, random })) {
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

interface Rounds {
  readonly about: string;
  readonly pairs: RoutedPairs;
  readonly rounds: readonly (readonly RoundMessage[])[];
}

/** What schedules are made of. */
interface Material {
  readonly network: ArcNetwork;
  readonly soonest: RoutedPairs;
  readonly even: RoutedPairs;
  /** Finds other paths that share the machine evenly. */
  readonly reroute: () => RoutedPairs | undefined;
  /** Even rounds are not all that counts. */
  readonly strict: boolean;
  readonly random: Random;
}

function* proposals({ network, soonest, even, reroute, strict, random }: Material): Iterable<Rounds> {
  if (hopsOf(soonest).longest < hopsOf(even).longest) {
    yield { about: 'shortest ways', pairs: soonest, rounds: fewestRounds(network, soonest.routing) };
  }
  const few = evenlyFilled(network, even, reroute);
  yield { about: 'few steps', ...few };
  if (!strict && secondsOf(network, few.rounds) <= even.routing.busiest * evenEnough) return;
  yield { about: 'spread', pairs: even, rounds: manyRounds(network, even.routing, random) };
}

/** As few rounds as possible; if they are not filled evenly, other paths may do better. */
function evenlyFilled(
  network: ArcNetwork,
  even: RoutedPairs,
  reroute: () => RoutedPairs | undefined,
): Pick<Rounds, 'pairs' | 'rounds'> {
  let best = { pairs: even, rounds: fewestRounds(network, even.routing) };
  const attempts = Math.min(mostReroutings, Math.floor(reroutingEffort / even.routing.effort));
  for (let attempt = 0; attempt < attempts; attempt++) {
    const seconds = secondsOf(network, best.rounds);
    if (seconds <= even.routing.busiest * evenEnough) break;
    const pairs = reroute();
    if (pairs === undefined) break;
    const rounds = fewestRounds(network, pairs.routing);
    if (rounds.length <= best.rounds.length && secondsOf(network, rounds) < seconds) best = { pairs, rounds };
  }
  return best;
}

function dismissed(reason: string): Proposal {
  return { kind: 'dismissed', dismissal: { name, reason } };
}

/** Packing messages of several pieces takes time, or arcs share links or ports and hinder each other. */
function isStrict({ arcs }: ArcNetwork, { nodes }: Topology): boolean {
  const used = arcs.flatMap(({ resources }) => resources);
  return nodes.some(({ copy }) => copy !== undefined) || new Set(used).size < used.length;
}

function effortOf({ arcs, ranks }: ArcNetwork, { images }: Symmetry): number {
  return (ranks / images.length) * ranks * (ranks + arcs.length);
}

function hopsOf({ routing: { paths } }: RoutedPairs): { readonly longest: number; readonly total: number } {
  return {
    longest: paths.reduce((most, { length }) => Math.max(most, length), 0),
    total: paths.reduce((sum, { length }) => sum + length, 0),
  };
}
