/** A timeline for plans that cannot be simulated: every operation takes one step, as textbooks draw schedules. */
import { OperationCode, operationCount, type Plan } from '../ir/plan.ts';
import { PlanIndex } from '../ir/plan-index.ts';
import type { Timeline } from '../ir/report.ts';
import type { Routes } from '../ir/routes.ts';
import { viewLimits } from './limits.ts';

/**
 * An operation starts with its step, or after the previous operation of its lane if that is later; bulks follow one another. A message
 * occupies the links of its route while its send lasts.
 */
export function timelineBySteps(plan: Plan, routes: Routes): Timeline {
  const operations = operationCount(plan);
  const start = new Float64Array(operations * plan.bulks);
  const end = new Float64Array(operations * plan.bulks);
  const one = begins(plan);
  const length = one.reduce((most, begin) => Math.max(most, begin + 1), 0);
  for (let instance = 0; instance < start.length; instance++) {
    const operation = instance % operations;
    start[instance] = Math.floor(instance / operations) * length + one[operation];
    end[instance] = start[instance] + 1;
  }
  return { operations, bulks: plan.bulks, start, end, links: linksTaken(plan, routes, start) };
}

/** By operation: the step in which it starts in the first bulk. The send and the receive of a message start together. */
function begins(plan: Plan): Float64Array {
  const { ops, firstOp } = plan;
  const begin = Float64Array.from(ops.step);
  const { partner } = PlanIndex.of(plan).connections;
  // Lanes delay each other through messages. Each pass settles at least one more step, and one pass suffices if the plan's steps are consistent.
  for (let pass = 0, isSettled = false; !isSettled && pass <= ops.kind.length; pass++) {
    isSettled = true;
    for (let lane = 0; lane + 1 < firstOp.length; lane++) {
      for (let o = firstOp[lane]; o < firstOp[lane + 1]; o++) {
        const before = o > firstOp[lane] ? begin[o - 1] + 1 : 0;
        const least = Math.max(before, partner[o] < 0 || pass >= viewLimits.passes ? 0 : begin[partner[o]]);
        if (least <= begin[o]) continue;
        begin[o] = least;
        isSettled = false;
      }
    }
  }
  return begin;
}

function linksTaken(plan: Plan, routes: Routes, start: Float64Array): Timeline['links'] {
  const { kind, peer, channel } = plan.ops;
  const rank = PlanIndex.of(plan).rankOf;
  const ranks = routes.topology.chips.length;
  const taken: { link: number[]; instance: number[]; start: number[] } = { link: [], instance: [], start: [] };
  for (let instance = 0; instance < start.length; instance++) {
    const operation = instance % kind.length;
    const [from, to] = [rank[operation], peer[operation]];
    if (kind[operation] !== OperationCode.send || from === to || from >= ranks || to < 0 || to >= ranks) continue;
    for (const link of routes.between(from, to, Math.max(0, channel[operation]))?.links ?? []) {
      taken.link.push(link);
      taken.instance.push(instance);
      taken.start.push(start[instance]);
    }
  }
  return {
    link: Int32Array.from(taken.link),
    instance: Int32Array.from(taken.instance),
    start: Float64Array.from(taken.start),
    end: Float64Array.from(taken.start, (begin) => begin + 1),
  };
}
