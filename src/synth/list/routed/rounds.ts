/**
 * When each parcel makes each hop of its path: list scheduling in rounds. In every round a resource may be used for a quantum of
 * time. Who has the longest way still to go is served first.
 */
import type { Bytes, Seconds } from '../../../ir/units.ts';
import type { ArcNetwork } from '../../arcs.ts';
import { limits } from '../limits.ts';
import type { Routing } from './paths.ts';

/** All parcels that go over an arc in one round, as one message. */
export interface RoundMessage {
  readonly arc: number;
  readonly parcels: readonly number[];
}

export type Rounds = readonly (readonly RoundMessage[])[];

/** Numbers of rounds in which the busiest resource may have work, in the order tried. */
const workingRounds = [16, 8, 4, 3, 2, 24, 12, 6];
/** For as many rounds as the longest path has hops: what a round may have, relative to an even share, in the order tried. */
const allowances = [1, 1.125, 1.25, 1.5, 1.75, 2, 3];

/**
 * Schedules all hops. A parcel that arrives in a round can go on in the next.
 *
 * @param routing the arcs of each parcel's path, and its weight
 * @param quantum seconds per byte of a parcel of weight 1 that each resource has in a round; what is used beyond it is missing in the
 * next one. Infinity: everything that waits goes on.
 */
export function scheduleRounds(
  network: ArcNetwork,
  { paths, weights }: Pick<Routing, 'paths' | 'weights'>,
  quantum: Seconds,
): Rounds {
  const exhausted = Number.isFinite(quantum) ? quantum * 1e-9 : 0;
  const left = new Float64Array(network.resources);
  const remaining = paths.map((path) => remainingTimes(network, path));
  const position = new Int32Array(paths.length);
  let waiting = paths.flatMap((path, parcel) => (path.length > 0 ? [parcel] : []));
  const rounds: RoundMessage[][] = [];
  while (waiting.length > 0) {
    for (let r = 0; r < left.length; r++) left[r] = Math.min(quantum, left[r] + quantum);
    waiting.sort((a, b) => remaining[b][position[b]] - remaining[a][position[a]] || a - b);
    const messages = new Map<number, number[]>();
    const moved: number[] = [];
    waiting = waiting.filter((parcel) => {
      const arc = paths[parcel][position[parcel]];
      const { resources, secondsPerByte } = network.arcs[arc];
      if (resources.some((resource) => left[resource] <= exhausted)) return true;
      resources.forEach((resource, i) => {
        left[resource] -= weights[parcel] * secondsPerByte[i];
      });
      messages.set(arc, messages.get(arc) ?? []);
      messages.get(arc)?.push(parcel);
      moved.push(parcel);
      return false;
    });
    for (const parcel of moved) if (++position[parcel] < paths[parcel].length) waiting.push(parcel);
    rounds.push([...messages].map(([arc, parcels]) => ({ arc, parcels })));
  }
  return rounds;
}

/** What is left of the way before each hop, in seconds per byte: hops over slow links count for more. */
function remainingTimes({ arcs }: ArcNetwork, path: readonly number[]): number[] {
  const times = path.map((arc) => Math.max(...arcs[arc].secondsPerByte));
  for (let hop = times.length - 2; hop >= 0; hop--) times[hop] += times[hop + 1];
  return times;
}

/** Rounds for short messages: no more than the longest path has hops, and these as equal as can be. */
export function fewestRounds(network: ArcNetwork, routing: Routing): Rounds {
  const fewest = longestPath(routing);
  let rounds: Rounds = [];
  for (const allowance of [...allowances, Number.POSITIVE_INFINITY]) {
    rounds = scheduleRounds(network, routing, (routing.busiest / fewest) * allowance);
    if (rounds.length === fewest) break;
  }
  return rounds;
}

/**
 * Rounds in which the busiest resources have work nearly all the time: more make more messages, each with its latency, fewer
 * leave resources idle for longer while data is on its way to them.
 *
 * @param parcel bytes of a parcel of weight 1; Infinity for as many rounds as there may be
 */
export function balancedRounds(network: ArcNetwork, routing: Routing, parcel: Bytes): Rounds {
  const { paths, busiest } = routing;
  const slowest = Math.max(...new Set(paths.flat().map((arc) => Math.max(...network.arcs[arc].secondsPerByte))));
  const hops = paths.reduce((sum, { length }) => sum + length, 0);
  const quanta = workingRounds.map((rounds) => Math.max(busiest / rounds, slowest));
  const most = Number.isFinite(parcel) ? Math.max(1, Math.floor(limits.hopsOfRounds / hops)) : 1;
  const tried = [...new Set(quanta)].slice(0, most).map((quantum) => {
    const rounds = scheduleRounds(network, routing, quantum);
    return { rounds, seconds: secondsOf(network, routing, rounds, parcel) };
  });
  return tried.reduce((a, b) => (b.seconds < a.seconds ? b : a)).rounds;
}

/** What rounds take that follow each other, with `parcel` bytes for weight 1: in each what its busiest resource takes, and the greatest latency. */
export function secondsOf(
  { arcs, resources: count }: ArcNetwork,
  { weights }: Pick<Routing, 'weights'>,
  rounds: Rounds,
  parcel: Bytes,
): Seconds {
  const load = new Float64Array(count);
  let total = 0;
  for (const messages of rounds) {
    load.fill(0);
    let latency = 0;
    for (const { arc, parcels } of messages) {
      latency = Math.max(latency, arcs[arc].latency);
      const bytes = parcels.reduce((sum, index) => sum + weights[index], 0) * parcel;
      arcs[arc].resources.forEach((resource, i) => {
        load[resource] += bytes * arcs[arc].secondsPerByte[i];
      });
    }
    total += latency + load.reduce((most, seconds) => Math.max(most, seconds), 0);
  }
  return total;
}

export function longestPath({ paths }: Routing): number {
  return paths.reduce((longest, { length }) => Math.max(longest, length), 0);
}
