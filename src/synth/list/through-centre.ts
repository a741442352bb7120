/**
 * Allreduces through the centre of a machine: each part of the vector is reduced at one of the central chips (those with the shortest round
 * trips to all others), which then broadcasts it. A reducescatter and an allgather reduce parts at every chip, so that some data crosses
 * the machine's whole width twice; from the centre the ends are half as far away. In exchange all parts share the links of the centre, so
 * this is for shorter messages.
 */
import { chipsAreAlike } from '../../graph/index.ts';
import { combinesInRankOrder } from '../../ir/collective.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { derivationsOf } from '../derive.ts';
import { dismissed, type Problem, type Proposal } from '../engine.ts';
import { maxRanksFor, relativeTolerance } from '../limits.ts';
import { equalShares } from '../shares.ts';
import { candidate } from './candidate.ts';
import { roundTrips, widthsInto } from './centre.ts';
import type { MoveProblem } from './machine.ts';
import type { SpreadProblem, Strategy } from './problem.ts';

/** Number of centres tried, from the smallest set of ranks on. */
const mostCentres = { quick: 1, full: 3 } as const;

const [, reduceAndBroadcast] = derivationsOf('allreduce');

/** The ranks at which parts are reduced, and the longest round trip from any of them, in seconds. */
interface Centre {
  readonly ranks: readonly number[];
  readonly farthest: Seconds;
}

/**
 * Proposes allreduces through the centre on machines whose chips are not alike.
 * @param strategy should cache its searches (`remembering`), since centres share them
 */
export function* proposeThroughCentre(strategy: Strategy, machine: MoveProblem, problem: Problem): Iterable<Proposal> {
  const { collective, routes, effort = 'full' } = problem;
  if (collective.kind !== 'allreduce' || combinesInRankOrder(collective) || collective.ranks > maxRanksFor.packings)
    return;
  if (chipsAreAlike(routes.topology) || strategy.unfit(machine('allgather', false)) !== undefined) return;
  const centres = centresOf(routes.topology, problem.size);
  for (const centre of centres.slice(0, mostCentres[effort])) yield proposeWith(strategy, centre, machine, problem);
}

/**
 * The centres worth trying: for each distinct round-trip latency, the ranks with at most that latency, provided it is shorter than the
 * maximum by more than a fraction (`relativeTolerance`) of the time that the message takes over the links into the narrowest chip. A centre
 * of one rank is left out, since the derivation with a root covers it.
 */
function centresOf(topology: Topology, size: Bytes): readonly Centre[] {
  const farthest = roundTrips(topology);
  const spared = (relativeTolerance * size) / Math.min(...widthsInto(topology));
  const levels = [...new Set(farthest)].sort((a, b) => a - b).filter((level) => Math.max(...farthest) - level > spared);
  return levels
    .map((level) => ({ farthest: level, ranks: [...farthest.keys()].filter((rank) => farthest[rank] <= level) }))
    .filter(({ ranks }) => ranks.length > 1);
}

/** Proposes a reduce followed by a broadcast, of parts that each have one of the central ranks as their root. */
function proposeWith(
  strategy: Strategy,
  { ranks, farthest }: Centre,
  machine: MoveProblem,
  problem: Problem,
): Proposal {
  const name = `list-${strategy.name}-allreduce (through ${ranks.length} central ranks)`;
  if (problem.incumbent !== undefined && farthest >= problem.incumbent) {
    return dismissed(name, 'its latencies alone take longer than another plan');
  }
  const [inwards, outwards] = [machine('allgather', true), machine('allgather', false)];
  const inner: SpreadProblem = { ...inwards, shares: equalShares(ranks) };
  // On a machine that equals its transpose one search serves both.
  const outer = outwards === inwards ? inner : { ...outwards, shares: inner.shares };
  const items = Math.max(strategy.itemsPerShard(inner), strategy.itemsPerShard(outer));
  const unit = ranks.length * items;
  const { collective, chunks = unit } = problem;
  if (chunks % unit !== 0) return dismissed(name, `needs a multiple of ${unit} chunks, not ${chunks}`);
  const parts = [inner, outer].map((search) => ({ search, items }));
  const origin = { engine: 'list', schedule: name, centre: ranks };
  return candidate(strategy, reduceAndBroadcast, parts, { ...collective, chunks }, origin);
}
