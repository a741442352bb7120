/**
 * When each parcel makes each hop of its path: list scheduling in rounds. In every round a resource may be used for a
 * quantum of time. Who has the longest way still to go is served first, unless another order is given.
 */
import type { Random } from '../../../ir/random.ts';
import type { Bytes, Seconds } from '../../../ir/units.ts';
import type { ArcNetwork } from './network.ts';
import type { Routing } from './paths.ts';

/** All parcels that go over an arc in one round, as one message. */
export interface RoundMessage {
  readonly arc: number;
  readonly parcels: readonly number[];
}

/**
 * Schedules all hops. A parcel that arrives in a round can go on in the next.
 *
 * @param paths the arcs of each parcel's path
 * @param quantum seconds per byte of a chunk that each resource has in a round; what is used beyond it is missing in the
 * next one. Infinity: everything that waits goes on.
 * @param order `order[parcel]`: its place in the order in which parcels are served
 * @returns the messages of each round
 */
export function scheduleRounds(
  network: ArcNetwork,
  paths: readonly (readonly number[])[],
  quantum: Seconds,
  order?: Int32Array,
): RoundMessage[][] {
  const exhausted = Number.isFinite(quantum) ? quantum * 1e-9 : 0;
  const credit = new Float64Array(network.resources);
  const remaining = paths.map((path) => remainingTimes(network, path));
  const position = new Int32Array(paths.length);
  let waiting = paths.flatMap((path, parcel) => (path.length > 0 ? [parcel] : []));
  const rounds: RoundMessage[][] = [];
  while (waiting.length > 0) {
    for (let r = 0; r < credit.length; r++) credit[r] = Math.min(quantum, credit[r] + quantum);
    waiting.sort((a, b) =>
      order === undefined ? remaining[b][position[b]] - remaining[a][position[a]] || a - b : order[a] - order[b],
    );
    const messages = new Map<number, number[]>();
    const moved: number[] = [];
    waiting = waiting.filter((parcel) => {
      const arc = paths[parcel][position[parcel]];
      const { resources, secondsPerByte } = network.arcs[arc];
      if (resources.some((resource) => credit[resource] <= exhausted)) return true;
      resources.forEach((resource, i) => {
        credit[resource] -= secondsPerByte[i];
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

/** Numbers of rounds in which the busiest resource may have work. */
const workingRounds = [16, 8, 4, 3, 2, 24, 12, 6];
/** Hops that may be scheduled to find the best of them. */
const quantumEffort = 100_000;
/** Parcels × rounds that may be looked at for fewer rounds. */
const regroupingEffort = 1e6;
/** For as many rounds as the longest path has hops: what a round may have, relative to an even share, in the order tried. */
const allowances = [1, 1.125, 1.25, 1.5, 1.75, 2, 3];

/**
 * Rounds in which the busiest resources have work nearly all the time: more make more messages, each with its latency, fewer
 * leave resources idle for longer while data is on its way to them.
 *
 * @param parcel bytes of a parcel; Infinity for as many rounds as there may be
 */
export function balancedRounds(
  network: ArcNetwork,
  { paths, busiest }: Routing,
  parcel: Bytes,
  random: Random,
): RoundMessage[][] {
  const slowest = slowestHop(network, paths);
  const hops = paths.reduce((sum, { length }) => sum + length, 0);
  const quanta = workingRounds.map((rounds) => Math.max(busiest / rounds, slowest));
  const most = Number.isFinite(parcel) ? Math.max(1, Math.floor(quantumEffort / hops)) : 1;
  const affordable = [...new Set(quanta)].slice(0, most);
  const tried = affordable.map((quantum) => {
    const rounds = scheduleRounds(network, paths, quantum);
    return { quantum, rounds, seconds: secondsOf(network, rounds, parcel) };
  });
  const best = tried.reduce((a, b) => (b.seconds < a.seconds ? b : a));
  const isDirect = paths.every(({ length }) => length <= 1);
  return isDirect ? regrouped(network, paths, { quantum: best.quantum, busiest }, best.rounds, random) : best.rounds;
}

/**
 * Fewer rounds for messages that all go directly: those of a round stay together, and the rounds are filled again in another
 * order, which never takes more of them (iterated greedy colouring: Culberson, "Iterated greedy graph coloring and the
 * difficulty landscape", 1992).
 */
function regrouped(
  network: ArcNetwork,
  paths: readonly (readonly number[])[],
  { quantum, busiest }: { readonly quantum: Seconds; readonly busiest: Seconds },
  first: RoundMessage[][],
  random: Random,
): RoundMessage[][] {
  const fewest = Math.ceil(busiest / quantum - 1e-9);
  const order = new Int32Array(paths.length);
  let rounds = first;
  let effort = regroupingEffort;
  for (let attempt = 0; rounds.length > fewest && effort > 0; attempt++) {
    effort -= paths.length * rounds.length;
    const groups = rounds.map((messages) => messages.flatMap(({ parcels }) => parcels));
    if (attempt % 4 === 3) random.shuffle(groups);
    else if (attempt % 4 === 1) groups.sort((a, b) => b.length - a.length);
    else groups.reverse();
    groups.flat().forEach((parcel, place) => {
      order[parcel] = place;
    });
    const again = scheduleRounds(network, paths, quantum, order);
    if (again.length <= rounds.length) rounds = again;
  }
  return rounds;
}

/** Rounds for short messages: no more than the longest path has hops, and these as equal as can be. */
export function fewestRounds(network: ArcNetwork, { paths, busiest }: Routing): RoundMessage[][] {
  const fewest = paths.reduce((most, { length }) => Math.max(most, length), 0);
  for (const allowance of allowances) {
    const rounds = scheduleRounds(network, paths, (busiest / fewest) * allowance);
    if (rounds.length === fewest) return rounds;
  }
  return scheduleRounds(network, paths, Number.POSITIVE_INFINITY);
}

/** What one parcel takes on the slowest arc of any path, in seconds per byte. */
function slowestHop({ arcs }: ArcNetwork, paths: readonly (readonly number[])[]): Seconds {
  let slowest = 0;
  for (const path of paths) {
    for (const arc of path) for (const seconds of arcs[arc].secondsPerByte) slowest = Math.max(slowest, seconds);
  }
  return slowest;
}

/** What rounds take that follow each other: in each what its busiest resource takes, and the greatest latency. */
export function secondsOf(
  { arcs, resources: count }: ArcNetwork,
  rounds: readonly (readonly RoundMessage[])[],
  parcel: Bytes,
): Seconds {
  const load = new Float64Array(count);
  let total = 0;
  for (const messages of rounds) {
    load.fill(0);
    let latency = 0;
    for (const { arc, parcels } of messages) {
      const { resources, secondsPerByte } = arcs[arc];
      latency = Math.max(latency, arcs[arc].latency);
      for (let i = 0; i < resources.length; i++) load[resources[i]] += parcels.length * parcel * secondsPerByte[i];
    }
    total += latency + load.reduce((most, seconds) => Math.max(most, seconds), 0);
  }
  return total;
}
