/**
 * Allreduces that come together in the centre of a machine: each part of the vector at one of the chips that others reach soonest, which sends
 * it out again. A reducescatter and an allgather have parts come together everywhere, and take as long as the machine is wide, twice; from the centre it is
 * half as far to its ends. But all parts use the links of the centre then, so that this is for shorter messages.
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

/** Centres that are tried, from the narrowest on. */
const mostCentres = { quick: 1, full: 3 } as const;

const [, reduceAndBroadcast] = derivationsOf('allreduce');

/** Ranks in whose midst parts come together, and how far it is to the farthest rank and back. */
interface Centre {
  readonly ranks: readonly number[];
  readonly farthest: Seconds;
}

/** Candidates of a strategy that remembers what it has searched, for machines whose chips are not alike. */
export function* proposeThroughCentre(strategy: Strategy, machine: MoveProblem, problem: Problem): Iterable<Proposal> {
  const { collective, routes, effort = 'full' } = problem;
  if (collective.kind !== 'allreduce' || combinesInRankOrder(collective) || collective.ranks > maxRanksFor.packings)
    return;
  if (chipsAreAlike(routes.topology) || strategy.unfit(machine('allgather', false)) !== undefined) return;
  const centres = centresOf(routes.topology, problem.size);
  for (const centre of centres.slice(0, mostCentres[effort])) yield proposeWith(strategy, centre, machine, problem);
}

/** The ranks from which all others are near enough, for every distance that saves enough beside what the message takes over the narrowest chip's links; those of one rank are another derivation's. */
function centresOf(topology: Topology, size: Bytes): readonly Centre[] {
  const farthest = roundTrips(topology);
  const spared = (relativeTolerance * size) / Math.min(...widthsInto(topology));
  const levels = [...new Set(farthest)].sort((a, b) => a - b).filter((level) => Math.max(...farthest) - level > spared);
  return levels
    .map((level) => ({ farthest: level, ranks: [...farthest.keys()].filter((rank) => farthest[rank] <= level) }))
    .filter(({ ranks }) => ranks.length > 1);
}

/** A reduce and a broadcast, of parts that come together at one of the ranks each. */
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
  // On a machine that is its own mirror one search serves both.
  const outer = outwards === inwards ? inner : { ...outwards, shares: inner.shares };
  const items = Math.max(strategy.itemsPerShard(inner), strategy.itemsPerShard(outer));
  const unit = ranks.length * items;
  const { collective, chunks = unit } = problem;
  if (chunks % unit !== 0) return dismissed(name, `needs a multiple of ${unit} chunks, not ${chunks}`);
  const parts = [inner, outer].map((search) => ({ search, items }));
  const origin = { engine: 'list', schedule: name, centre: ranks };
  return candidate(strategy, reduceAndBroadcast, parts, { ...collective, chunks }, origin);
}
