/**
 * Allreduces that come together in the centre of a machine: each part of the vector at one of the chips that others reach soonest, which sends
 * it out again. A reducescatter and an allgather have parts come together everywhere, and take as long as the machine is wide, twice; from the centre it is
 * half as far to its ends. But all parts use the links of the centre then, so that this is for shorter messages.
 */
import { chipsAreAlike } from '../../cost/index.ts';
import { type Collective, keepsRankOrder } from '../../ir/collective.ts';
import type { Schedule } from '../../ir/schedule.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { compose, reverse } from '../../passes/index.ts';
import { dismissed, type Problem, type Proposal } from '../engine.ts';
import { mostRanksFor, tolerance } from '../limits.ts';
import { equalShares } from '../shares.ts';
import { roundTrips, widthsInto } from './centre.ts';
import type { Machine } from './machine.ts';
import type { SpreadProblem, Strategy } from './problem.ts';
import { type Moves, scheduleOf, secondsInTurn, spreadOf } from './spread.ts';

/** Centres that are tried, from the narrowest on. */
const mostCentres = { quick: 1, full: 3 } as const;

/** Ranks in whose midst parts come together, and how far it is to the farthest rank and back. */
interface Centre {
  readonly ranks: readonly number[];
  readonly farthest: Seconds;
}

/** Candidates of a strategy that remembers what it has searched, for machines whose chips are not alike. */
export function* proposeThroughCentre(strategy: Strategy, machine: Machine, problem: Problem): Iterable<Proposal> {
  const { collective, routes, effort = 'full' } = problem;
  if (collective.kind !== 'allreduce' || keepsRankOrder(collective) || collective.ranks > mostRanksFor.packings) return;
  if (chipsAreAlike(routes.topology) || strategy.unfit(machine('allgather', false)) !== undefined) return;
  const centres = centresOf(routes.topology, problem.size);
  for (const centre of centres.slice(0, mostCentres[effort])) yield proposeWith(strategy, centre, machine, problem);
}

/** The ranks from which all others are near enough, for every distance that saves enough beside what the message takes over the narrowest chip's links; those of one rank are another derivation's. */
function centresOf(topology: Topology, size: Bytes): readonly Centre[] {
  const farthest = roundTrips(topology);
  const spared = (tolerance * size) / Math.min(...widthsInto(topology));
  const levels = [...new Set(farthest)].sort((a, b) => a - b).filter((level) => Math.max(...farthest) - level > spared);
  return levels
    .map((level) => ({ farthest: level, ranks: [...farthest.keys()].filter((rank) => farthest[rank] <= level) }))
    .filter(({ ranks }) => ranks.length > 1);
}

function proposeWith(strategy: Strategy, { ranks, farthest }: Centre, machine: Machine, problem: Problem): Proposal {
  const name = `list-${strategy.name}-allreduce (through ${ranks.length} central ranks)`;
  if (problem.toBeat !== undefined && farthest >= problem.toBeat) {
    return dismissed(name, 'its latencies alone take longer than another plan');
  }
  const [inwards, outwards] = [machine('allgather', true), machine('allgather', false)];
  const toCentre = (search: SpreadProblem): SpreadProblem => ({ ...search, shares: equalShares(ranks) });
  const inner = toCentre(inwards);
  // On a machine that is its own mirror one search serves both.
  const outer = outwards === inwards ? inner : toCentre(outwards);
  const items = Math.max(strategy.itemsPerShard(inner), strategy.itemsPerShard(outer));
  const unit = ranks.length * items;
  const chunks = problem.chunks ?? unit;
  if (chunks % unit !== 0) return dismissed(name, `needs a multiple of ${unit} chunks, not ${chunks}`);
  const movesOf = (search: SpreadProblem): Moves => strategy.search(spreadOf(search, items), search);
  const build = (multiple: number): Schedule => {
    const collective = { ...problem.collective, chunks: chunks * multiple };
    // Parts start or end at several ranks; that of the message as a whole is named.
    const part = (kind: 'reduce' | 'broadcast'): Collective => ({ ...collective, kind, root: ranks[0] });
    const spread = (search: SpreadProblem): Schedule =>
      scheduleOf(movesOf(search), name, part('broadcast'), collective.chunks / unit);
    return compose([reverse(spread(inner), part('reduce')), spread(outer)], { name, collective });
  };
  const promised = () => secondsInTurn([movesOf(inner), movesOf(outer)]);
  const origin = { engine: 'list', schedule: name, centre: ranks };
  return { kind: 'candidate', candidate: { name, origin, build, promised } };
}
