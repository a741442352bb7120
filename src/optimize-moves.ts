/** What may make a given schedule faster on a machine: each move tries other schedules that do the same. */
import { leastStretchRing, simulate } from './cost/index.ts';
import { collectiveFacts, keepsRankOrder } from './ir/collective.ts';
import type { Routes } from './ir/routes.ts';
import type { Schedule } from './ir/schedule.ts';
import type { Bytes, Seconds } from './ir/units.ts';
import { lower } from './lower/index.ts';
import { alongside, compactSteps, forwardHops, prune, refine, relabel } from './passes/index.ts';

/** What moves work on. */
export interface MoveContext {
  readonly routes: Routes;
  readonly size: Bytes;
  readonly shouldStop?: (() => boolean) | undefined;
}

export interface Move {
  /** What was done, for people. */
  readonly name: string;
  /** Schedules to try instead, none of them proved. */
  variants(schedule: Schedule, context: MoveContext): Iterable<Schedule>;
}

/** In the order they are tried: first what makes schedules smaller, so that later moves have less to do. */
export const moves: readonly Move[] = [
  { name: 'transfers that nothing depends on left out', variants: pruned },
  { name: 'steps brought forward and messages merged', variants: (schedule) => [compactSteps(schedule)] },
  { name: 'ranks in another order', variants: reordered },
  { name: 'part of the data the other way round', variants: bothWays },
  { name: 'messages stored and forwarded', variants: forwarded },
];

function* pruned(schedule: Schedule): Iterable<Schedule> {
  const smaller = prune(schedule);
  if (smaller.steps.transferCount < schedule.steps.transferCount) yield smaller;
}

function mayBeReordered({ collective }: Schedule): boolean {
  return !keepsRankOrder(collective) && collective.kind !== 'custom' && collective.kind !== 'barrier';
}

/** Orders that keep the root where it is: along a ring with short ways, and from there by exchanging pairs. */
function* reordered(schedule: Schedule, context: MoveContext): Iterable<Schedule> {
  if (!mayBeReordered(schedule) || schedule.collective.ranks < 3) return;
  const ring = withRootInPlace(leastStretchRing(context.routes).order, schedule);
  yield relabel(schedule, ring);
  const identity = ring.map((_, rank) => rank);
  const order = exchangePairs(schedule, context, [identity, ring]);
  if (order.some((rank, position) => rank !== position)) yield relabel(schedule, order);
}

/** The ring turned so that the root plays its own part. */
function withRootInPlace(ring: readonly number[], { collective }: Schedule): readonly number[] {
  if (!collectiveFacts[collective.kind].rooted) return ring;
  const { root, ranks } = collective;
  const shift = ring.indexOf(root) - root + ranks;
  return ring.map((_, position) => ring[(position + shift) % ranks]);
}

/** Operations that may be simulated while pairs are exchanged. */
const exchangeEffort = 1_000_000;

/** Exchanges two ranks at a time as long as the simulated time falls, from the better of the given orders. */
function exchangePairs(
  schedule: Schedule,
  { routes, size, shouldStop }: MoveContext,
  starts: readonly (readonly number[])[],
): readonly number[] {
  let spent = 0;
  const secondsOf = (order: readonly number[]): Seconds => {
    const plan = lower(relabel(schedule, order));
    spent += plan.ops.kind.length;
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
        if (spent > exchangeEffort || shouldStop?.() === true) return best.order;
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

/** In which the data are divided between a schedule and its mirror image: evenly first. */
const shares = [
  [1, 1],
  [2, 1],
  [1, 2],
] as const;

/** A ring is as good in the other direction, where links are idle; on other machines too the mirror image may use other links. */
function* bothWays(schedule: Schedule): Iterable<Schedule> {
  const { collective } = schedule;
  const { ranks, kind } = collective;
  if (!mayBeReordered(schedule) || ranks < 3) return;
  const root = collectiveFacts[kind].rooted ? collective.root : 0;
  const mirror = Array.from({ length: ranks }, (_, rank) => (2 * root - rank + 2 * ranks) % ranks);
  const mirrored = relabel(schedule, mirror);
  for (const [own, other] of shares) yield alongside(refine(schedule, own), refine(mirrored, other));
}

/** Chips on the way take messages in and send them on, where routes lead over chips. */
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
