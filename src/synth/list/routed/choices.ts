/** Which routings and rounds are worth pricing: for short messages, for long ones, and for those between. */
import type { Topology } from '../../../ir/topology.ts';
import type { Bytes, Seconds } from '../../../ir/units.ts';
import type { ArcNetwork } from '../../arcs.ts';
import type { RoutedPairs } from './chunks.ts';
import { closeEnough } from './paths.ts';
import { balancedRounds, fewestRounds, secondsOf } from './round-sizes.ts';
import type { RoundMessage } from './rounds.ts';

/** What schedules are made of. */
export interface Material {
  readonly network: ArcNetwork;
  /** Paths of least latency. */
  readonly soonest: RoutedPairs;
  /** Paths that share the machine evenly. */
  readonly even: RoutedPairs;
  /** What a round takes is more than its busiest resource: many small messages are better than few. */
  readonly strict: boolean;
  /** Of what one rank has for another, or of each unit of it. */
  readonly unitBytes: Bytes;
}

export interface Choice {
  /** For its name. */
  readonly about: string;
  readonly pairs: RoutedPairs;
  readonly rounds: readonly (readonly RoundMessage[])[];
}

/**
 * As few steps as the machine allows (over ways of least latency), as few as paths that share the machine evenly allow (of these two
 * first what promises to be faster), and as many as suit the size; fewer choices where these are the same.
 */
export function* choices({ network, soonest, even, strict, unitBytes }: Material): Iterable<Choice> {
  const base = loadOf(soonest) <= loadOf(even) * closeEnough ? soonest : even;
  const short: Choice[] =
    longestPath(soonest) < longestPath(base)
      ? [{ about: 'shortest ways', pairs: soonest, rounds: fewestRounds(network, soonest.routing) }]
      : [];
  const few: Choice = {
    about: 'few steps',
    pairs: base,
    rounds: fewestRounds(network, base.routing),
  };
  const promised = ({ pairs, rounds }: Choice): Seconds =>
    secondsOf(network, rounds, pairs.routing.weights, unitBytes / pairs.chunks);
  yield* [...short, few].sort((a, b) => promised(a) - promised(b));
  if (!strict && fillOf(network, few) <= base.routing.busiest * closeEnough) return;
  const parcel = strict ? Number.POSITIVE_INFINITY : unitBytes / base.chunks;
  yield { about: 'spread', pairs: base, rounds: balancedRounds(network, base.routing, parcel) };
}

/** What rounds take without their latencies, in seconds per byte of a parcel. */
function fillOf(network: ArcNetwork, { pairs, rounds }: Pick<Choice, 'pairs' | 'rounds'>): Seconds {
  const { weights } = pairs.routing;
  return secondsOf(network, rounds, weights, 1) - secondsOf(network, rounds, weights, 0);
}

/** Packing messages of several pieces takes time, or arcs share links or ports and hinder each other. */
export function isStrict(network: ArcNetwork, { nodes }: Topology): boolean {
  return nodes.some(({ copy }) => copy !== undefined) || sharesResources(network);
}

/** Some link or port is used by several arcs. */
export function sharesResources({ arcs }: ArcNetwork): boolean {
  const used = arcs.flatMap(({ resources }) => resources);
  return new Set(used).size < used.length;
}

function longestPath({ routing: { paths } }: RoutedPairs): number {
  return paths.reduce((longest, { length }) => Math.max(longest, length), 0);
}

/** What the busiest resource takes, in seconds per byte of what one rank has for another. */
function loadOf({ routing, chunks }: RoutedPairs): Seconds {
  return routing.busiest / chunks;
}
