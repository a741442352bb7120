/**
 * When each parcel makes each hop of its path: list scheduling in rounds. In every round a resource may be used for a
 * quantum of time. Who has the longest way still to go is served first, unless another order is given.
 */
import type { Seconds } from '../../../ir/units.ts';
import type { ArcNetwork } from '../../arcs.ts';
import type { Routing } from './paths.ts';

/** All parcels that go over an arc in one round, as one message. */
export interface RoundMessage {
  readonly arc: number;
  readonly parcels: readonly number[];
}

/**
 * Schedules all hops. A parcel that arrives in a round can go on in the next.
 *
 * @param routing the arcs of each parcel's path, and its weight
 * @param quantum seconds per byte of a parcel of weight 1 that each resource has in a round; what is used beyond it is missing in the
 * next one. Infinity: everything that waits goes on.
 * @param order `order[parcel]`: its place in the order in which parcels are served
 * @returns the messages of each round
 */
export function scheduleRounds(
  network: ArcNetwork,
  { paths, weights }: Pick<Routing, 'paths' | 'weights'>,
  quantum: Seconds,
  order?: Int32Array,
): RoundMessage[][] {
  const exhausted = Number.isFinite(quantum) ? quantum * 1e-9 : 0;
  const deficit = new Float64Array(network.resources);
  const remaining = paths.map((path) => remainingTimes(network, path));
  const position = new Int32Array(paths.length);
  let waiting = paths.flatMap((path, parcel) => (path.length > 0 ? [parcel] : []));
  const rounds: RoundMessage[][] = [];
  while (waiting.length > 0) {
    for (let r = 0; r < deficit.length; r++) deficit[r] = Math.min(quantum, deficit[r] + quantum);
    waiting.sort((a, b) =>
      order === undefined ? remaining[b][position[b]] - remaining[a][position[a]] || a - b : order[a] - order[b],
    );
    const messages = new Map<number, number[]>();
    const moved: number[] = [];
    waiting = waiting.filter((parcel) => {
      const arc = paths[parcel][position[parcel]];
      const { resources, secondsPerByte } = network.arcs[arc];
      if (resources.some((resource) => deficit[resource] <= exhausted)) return true;
      resources.forEach((resource, i) => {
        deficit[resource] -= weights[parcel] * secondsPerByte[i];
      });
      const message = messages.get(arc);
      if (message === undefined) messages.set(arc, [parcel]);
      else message.push(parcel);
      moved.push(parcel);
      return false;
    });
    for (const parcel of moved) {
      position[parcel]++;
      if (position[parcel] < paths[parcel].length) waiting.push(parcel);
    }
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
