/** How much goes into a round: little for short pipelines, much where every message has its latency. */
import type { Bytes, Seconds } from '../../../ir/units.ts';
import type { ArcNetwork } from '../../arcs.ts';
import { limits } from '../limits.ts';
import type { Routing } from './paths.ts';
import { type RoundMessage, scheduleRounds } from './rounds.ts';

/** Numbers of rounds in which the busiest resource may have work. */
const workingRounds = [16, 8, 4, 3, 2, 24, 12, 6];
/** For as many rounds as the longest path has hops: what a round may have, relative to an even share, in the order tried. */
const allowances = [1, 1.125, 1.25, 1.5, 1.75, 2, 3];

/**
 * Rounds in which the busiest resources have work nearly all the time: more make more messages, each with its latency, fewer
 * leave resources idle for longer while data is on its way to them.
 *
 * @param parcel bytes of a parcel of weight 1; Infinity for as many rounds as there may be
 */
export function balancedRounds(network: ArcNetwork, routing: Routing, parcel: Bytes): RoundMessage[][] {
  const { paths, weights, busiest } = routing;
  const slowest = slowestHop(network, paths);
  const hops = paths.reduce((sum, { length }) => sum + length, 0);
  const quanta = workingRounds.map((rounds) => Math.max(busiest / rounds, slowest));
  const most = Number.isFinite(parcel) ? Math.max(1, Math.floor(limits.hopsOfRounds / hops)) : 1;
  const affordable = [...new Set(quanta)].slice(0, most);
  const tried = affordable.map((quantum) => {
    const rounds = scheduleRounds(network, routing, quantum);
    return { rounds, seconds: secondsOf(network, rounds, weights, parcel) };
  });
  return tried.reduce((a, b) => (b.seconds < a.seconds ? b : a)).rounds;
}

/** Rounds for short messages: no more than the longest path has hops, and these as equal as can be. */
export function fewestRounds(network: ArcNetwork, routing: Routing): RoundMessage[][] {
  const { paths, busiest } = routing;
  const fewest = paths.reduce((most, { length }) => Math.max(most, length), 0);
  for (const allowance of allowances) {
    const rounds = scheduleRounds(network, routing, (busiest / fewest) * allowance);
    if (rounds.length === fewest) return rounds;
  }
  return scheduleRounds(network, routing, Number.POSITIVE_INFINITY);
}

/** What the slowest arc of any path takes, in seconds per byte. */
function slowestHop({ arcs }: ArcNetwork, paths: readonly (readonly number[])[]): Seconds {
  let slowest = 0;
  for (const path of paths) {
    for (const arc of path) for (const seconds of arcs[arc].secondsPerByte) slowest = Math.max(slowest, seconds);
  }
  return slowest;
}

/** What rounds take that follow each other, with `parcel` bytes for weight 1: in each what its busiest resource takes, and the greatest latency. */
export function secondsOf(
  { arcs, resources: count }: ArcNetwork,
  rounds: readonly (readonly RoundMessage[])[],
  weights: readonly number[],
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
      const bytes = parcels.reduce((sum, index) => sum + weights[index], 0) * parcel;
      for (let i = 0; i < resources.length; i++) load[resources[i]] += bytes * secondsPerByte[i];
    }
    total += latency + load.reduce((most, seconds) => Math.max(most, seconds), 0);
  }
  return total;
}
