/** How much of the reduction time of chips overlaps with communication in the simulated run. */
import { isReduction, isSend, operationCount, type Plan, rankOfLane } from '../../../ir/plan.ts';
import type { Routes } from '../../../ir/routes.ts';
import { chunkBytesOf } from '../../../ir/shards.ts';
import type { Bytes, Seconds } from '../../../ir/units.ts';
import { findConnections } from '../../simulate/connections.ts';
import { timeline } from '../../simulate/timeline.ts';
import { weigh } from '../../simulate/weights.ts';
import { followed } from './limits.ts';

export interface ReductionOverlap {
  /** Seconds for which the chip that reduces longest does so. */
  readonly reducing: Seconds;
  /** The part of these seconds in which that chip also sends or receives; 0 if it cannot communicate while it reduces. */
  readonly hidden: Seconds;
  /** The node of that chip. */
  readonly node: number;
}

/**
 * Determines for how long the chip that reduces longest does so, and during how much of that time it has messages of its own in flight (from their
 * start to their arrival).
 *
 * @param size bytes of the whole message (M)
 * @returns undefined if no reduction takes time, if lanes take time of their own, and for runs of more than 200,000 operations
 */
export function reductionOverlap(plan: Plan, routes: Routes, size: Bytes): ReductionOverlap | undefined {
  if (operationCount(plan) * plan.bulks > followed.instances || routes.topology.lane !== undefined) return undefined;
  if (routes.topology.nodes.every(({ reduce }) => reduce === undefined)) return undefined;
  if (!plan.ops.kind.some((_, op) => isReduction(plan, op))) return undefined;
  const byRank = reducingByRank(plan, routes, size);
  const longest = byRank.reduce((best, seconds, rank) => (seconds > byRank[best] ? rank : best), 0);
  if (!(byRank[longest] > 0)) return undefined;
  const { nodes, chips } = routes.topology;
  const node = chips[longest];
  const throughput = nodes[node].reduce?.throughput ?? Number.POSITIVE_INFINITY;
  const [reductions, messages] = intervalsOf(plan, routes, size, longest, throughput);
  return { reducing: byRank[longest], hidden: overlapOf(reductions, messages), node };
}

type Interval = readonly [start: Seconds, end: Seconds];

function reducingByRank(plan: Plan, routes: Routes, size: Bytes): Float64Array {
  const { nodes, chips, messages } = routes.topology;
  const { written } = weigh(plan, size, messages);
  const chunkBytes = plan.bulks * chunkBytesOf(plan, size, messages?.alignment);
  const seconds = new Float64Array(chips.length);
  for (let lane = 0; lane < plan.laneId.length; lane++) {
    const rank = rankOfLane(plan, lane);
    const throughput = nodes[chips[rank]].reduce?.throughput ?? Number.POSITIVE_INFINITY;
    for (let op = plan.firstOp[lane]; op < plan.firstOp[lane + 1]; op++) {
      if (isReduction(plan, op)) seconds[rank] += (written[op] * chunkBytes) / throughput;
    }
  }
  return seconds;
}

/**
 * The intervals in which a rank reduced and in which it sent or received. A reduction ends together with its operation, so that its start follows
 * from its duration.
 */
function intervalsOf(
  plan: Plan,
  routes: Routes,
  size: Bytes,
  rank: number,
  throughput: number,
): readonly [Interval[], Interval[]] {
  const { start, end, operations } = timeline(plan, routes, size);
  const connections = findConnections(plan, routes);
  const { of, sender, receiver } = connections;
  const { messages: limits } = routes.topology;
  const { written } = weigh(plan, size, limits);
  const chunkBytes = chunkBytesOf(plan, size, limits?.alignment);
  const [firstOp, endOp] = [plan.firstOp[plan.firstLane[rank]], plan.firstOp[plan.firstLane[rank + 1]]];
  const reductions: Interval[] = [];
  const messages: Interval[] = [];
  for (let instance = 0; instance < start.length; instance++) {
    const op = instance % operations;
    if (op >= firstOp && op < endOp && isReduction(plan, op)) {
      reductions.push([end[instance] - (written[op] * chunkBytes) / throughput, end[instance]]);
    }
    if (isSend(plan, op) && (sender[of[op]] === rank || receiver[of[op]] === rank)) {
      messages.push([start[instance], end[instance]]);
    }
  }
  return [reductions, messages];
}

/** Seconds of the first intervals, which must be disjoint, that are covered by the others. */
function overlapOf(intervals: Interval[], others: Interval[]): Seconds {
  const byStart = (a: Interval, b: Interval): number => a[0] - b[0];
  const covered: [number, number][] = [];
  for (const [start, end] of others.sort(byStart)) {
    const last = covered.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else covered.push([start, end]);
  }
  let [sum, at] = [0, 0];
  for (const [start, end] of intervals.sort(byStart)) {
    while (at < covered.length && covered[at][1] <= start) at++;
    for (let c = at; c < covered.length && covered[c][0] < end; c++) {
      sum += Math.min(end, covered[c][1]) - Math.max(start, covered[c][0]);
    }
  }
  return sum;
}
