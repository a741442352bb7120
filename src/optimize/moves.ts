/** The moves of the local search: each proposes variants of a schedule that compute the same result. */
import { minStretchRing } from '../graph/index.ts';
import { collectiveFacts, combinesInRankOrder } from '../ir/collective.ts';
import type { Routes } from '../ir/routes.ts';
import type { Schedule } from '../ir/schedule.ts';
import type { Bytes, Seconds } from '../ir/units.ts';
import { lower } from '../lower/index.ts';
import { simulate } from '../model/index.ts';
import { alongside, compactSteps, forwardHops, prune, refine, relabel } from '../passes/index.ts';
import { bettering } from './limits.ts';
import { addLoads, greatest, noLoads, pairDemandsOf } from './loads.ts';
import { partnerOrders } from './orders.ts';
import { rebalancedPaths } from './paths.ts';

/** What moves may use. */
export interface MoveContext {
  readonly routes: Routes;
  readonly size: Bytes;
  /** Remaining budget, in operations lowered, proved and simulated. */
  readonly left: () => number;
  /** Charges simulations that are done before a variant is returned. */
  readonly spend: (work: number) => void;
  readonly shouldStop?: (() => boolean) | undefined;
}

export interface ScheduleMove {
  /** What the move did, for reports. */
  readonly name: string;
  /** Proposes variants, none of them proved. */
  variants(schedule: Schedule, context: MoveContext): Iterable<Schedule>;
}

/**
 * In the order in which they are tried: first those that make schedules smaller, so that later moves have less to do.
 */
export const moves: readonly ScheduleMove[] = [
  { name: 'transfers removed that nothing depends on', variants: pruned },
  { name: 'steps brought forward and messages merged', variants: (schedule) => [compactSteps(schedule)] },
  { name: 'ranks reordered', variants: reordered },
  { name: 'ranks reordered for a part of the data', variants: divided },
  { name: 'messages stored and forwarded at intermediate chips', variants: forwarded },
  { name: 'messages rerouted over less loaded chips', variants: balanced },
];

function* pruned(schedule: Schedule): Iterable<Schedule> {
  const smaller = prune(schedule);
  if (smaller.steps.transferCount < schedule.steps.transferCount) yield smaller;
}

function mayBeReordered({ collective }: Schedule): boolean {
  return !combinesInRankOrder(collective) && collective.kind !== 'custom' && collective.kind !== 'barrier';
}

/** Renumberings that keep the root: along a ring with short routes, then improved by exchanging pairs. */
function* reordered(schedule: Schedule, context: MoveContext): Iterable<Schedule> {
  if (!mayBeReordered(schedule) || schedule.collective.ranks < 3) return;
  const ring = withRootInPlace(minStretchRing(context.routes).order, schedule);
  yield relabel(schedule, ring);
  const identity = ring.map((_, rank) => rank);
  const order = exchangePairs(schedule, context, [identity, ring]);
  if (order.some((rank, position) => rank !== position)) yield relabel(schedule, order);
}

/** The ring rotated such that the root plays its own role. */
function withRootInPlace(ring: readonly number[], { collective }: Schedule): readonly number[] {
  if (!collectiveFacts[collective.kind].rooted) return ring;
  const { root, ranks } = collective;
  const shift = ring.indexOf(root) - root + ranks;
  return ring.map((_, position) => ring[(position + shift) % ranks]);
}

/**
 * Hill climbing by pair exchanges on the simulated time, starting from the better of the given orders, for half of the
 * remaining budget.
 */
function exchangePairs(
  schedule: Schedule,
  { routes, size, left, spend, shouldStop }: MoveContext,
  starts: readonly (readonly number[])[],
): readonly number[] {
  const enough = left() / 2;
  const secondsOf = (order: readonly number[]): Seconds => {
    const plan = lower(relabel(schedule, order));
    spend(plan.ops.kind.length);
    return simulate(plan, routes, size).seconds;
  };
  const fixed = collectiveFacts[schedule.collective.kind].rooted ? schedule.collective.root : -1;
  const rated = starts.map((order) => ({ order, seconds: secondsOf(order) }));
  let best = rated.reduce((a, b) => (b.seconds < a.seconds ? b : a));
  for (let improved = true; improved; ) {
    improved = false;
    for (let a = 0; a < best.order.length; a++) {
      for (let b = a + 1; b < best.order.length; b++) {
        if (a === fixed || b === fixed) continue;
        if (left() < enough || shouldStop?.() === true) return best.order;
        const order = best.order.with(a, best.order[b]).with(b, best.order[a]);
        const seconds = secondsOf(order);
        if (seconds >= best.seconds * (1 - 1e-9)) continue;
        best = { order, seconds };
        improved = true;
      }
    }
  }
  return best.order;
}

/**
 * Sends part of the data in another order of ranks: a ring is equally good in the other direction, whose links may be
 * idle. The order and the share are chosen by the load of the busiest link or port.
 */
function* divided(schedule: Schedule, { routes }: MoveContext): Iterable<Schedule> {
  const { collective, steps } = schedule;
  const { ranks, kind, root } = collective;
  if (!mayBeReordered(schedule) || ranks < 3) return;
  const fixed = collectiveFacts[kind].rooted ? root : -1;
  const centre = Math.max(fixed, 0);
  const mirror = Array.from({ length: ranks }, (_, rank) => (2 * centre - rank + 2 * ranks) % ranks);
  const identity = mirror.map((_, rank) => rank);
  const demands = pairDemandsOf(schedule);
  const loads = noLoads(routes);
  addLoads(loads, demands, routes, identity);
  const enough = greatest(loads) * (1 - bettering.leastGain);
  const firstChannel = 1 + steps.channel.reduce((a, b) => Math.max(a, b), 0);
  const ring = withRootInPlace(minStretchRing(routes).order, schedule);
  const found = partnerOrders(demands, loads, routes, { starts: [mirror, ring, identity], fixed, firstChannel });
  for (const { order, division, load } of found.slice(0, bettering.mostPartners)) {
    if (load > enough) return;
    const [before, other] = division;
    yield alongside(refine(schedule, before), refine(relabel(schedule, order), other));
  }
}

/** Detours: all or half of a message takes a path over other chips that is less loaded than its shortest path. */
function* balanced(schedule: Schedule, { routes }: MoveContext): Iterable<Schedule> {
  const { collective } = schedule;
  if (collective.kind === 'custom' || collective.kind === 'barrier' || collective.ranks < 3) return;
  const identity = Array.from({ length: collective.ranks }, (_, rank) => rank);
  const demands = pairDemandsOf(schedule);
  const loads = noLoads(routes);
  addLoads(loads, demands, routes, identity);
  const links = routes.topology.links.length;
  const enough = greatest(loads.subarray(0, links)) * (1 - bettering.leastGain);
  const instead = rebalancedPaths(demands, noLoads(routes), routes);
  if (instead !== undefined && instead.load <= enough) yield forwardHops(schedule, instead.via);
  const beside = rebalancedPaths(demands, loads, routes);
  if (beside !== undefined && beside.load / 2 <= enough) {
    yield alongside(schedule, forwardHops(schedule, beside.via));
  }
}

/** Store and forward: where routes lead over chips, these receive the message and send it on. */
function* forwarded(schedule: Schedule, { routes }: MoveContext): Iterable<Schedule> {
  const { chips, links } = routes.topology;
  const ranks = new Map(chips.map((node, rank) => [node, rank]));
  let isNew = false;
  const via = (source: number, destination: number, channel: number): readonly number[] => {
    const route = routes.between(source, destination, channel);
    const between = (route?.links ?? []).slice(0, -1).flatMap((link) => ranks.get(links[link].to) ?? []);
    isNew ||= between.length > 0;
    return between;
  };
  const hopwise = forwardHops(schedule, via);
  if (isNew) yield hopwise;
}
