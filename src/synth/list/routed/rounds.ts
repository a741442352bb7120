/**
 * When each parcel makes each hop of its path: list scheduling in rounds. In every round a resource may be used for a quantum of
 * time. Who has the longest way still to go is served first.
 */
import type { Seconds } from '../../../ir/units.ts';
import type { ArcNetwork } from '../../arcs.ts';
import type { Routing } from './paths.ts';

/** All parcels that go over an arc in one round, as one message. */
export interface RoundMessage {
  readonly arc: number;
  readonly parcels: readonly number[];
}

export type Rounds = readonly (readonly RoundMessage[])[];

/** Rounds in which the busiest resource may have work: many for long messages, few for shorter ones. */
export const workingRounds = [16, 4];
/** For as many rounds as the longest path has hops: what a round may have, relative to an even share, in the order tried. */
const allowances = [1, 1.25, 1.5, 2, 3];

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

/** Rounds in which the busiest resources have work nearly all the time. */
export function balancedRounds(network: ArcNetwork, routing: Routing, working: number): Rounds {
  const arcs = new Set(routing.paths.flat());
  const slowest = Math.max(...Array.from(arcs, (arc) => Math.max(...network.arcs[arc].secondsPerByte)));
  return scheduleRounds(network, routing, Math.max(routing.busiest / working, slowest));
}

export function longestPath({ paths }: Routing): number {
  return paths.reduce((longest, { length }) => Math.max(longest, length), 0);
}
