/** What a schedule promises: about what it takes in the number of bulks that suits it, told before it is lowered. */
import { flowingTime, leastTime, steppedTime } from '../cost/index.ts';
import type { Routes } from '../ir/routes.ts';
import type { Schedule } from '../ir/schedule.ts';
import type { Bytes, Seconds } from '../ir/units.ts';
import { inSuitedBulks } from '../synth/index.ts';
import { outOfStep, reducesWithoutOverlap } from './effort.ts';

/**
 * The time of a pipeline whose messages wait for each other within a bulk: T(k) = L + R + (T − L − R)/k for a schedule that takes T in one bulk, L for no
 * bytes, and whose busiest link or chip needs R; k from what it costs (pipeline-estimate.ts). Where chips that
 * cannot send while they reduce reduce several messages, bulks get into each other's way. Numbers of bulks that are given leave T; schedules that keep in
 * step take what their steps take one after the other.
 */
export function scheduleEstimate(schedule: Schedule, routes: Routes, size: Bytes, bulks: number | 'auto'): Seconds {
  if (schedule.inStep === true) return steppedTime(schedule, routes, size).seconds;
  const { seconds, latency } = flowingTime(schedule, routes, size) ?? steppedTime(schedule, routes, size);
  if (bulks !== 'auto') return seconds;
  const busiest = leastTime(schedule, routes, size);
  const inBulks = inSuitedBulks(seconds, latency, busiest);
  return holdsUpBulks(schedule, routes) ? Math.min(seconds, inBulks * outOfStep) : inBulks;
}

/** In chains chips reduce once, and bulks follow each other as closely as they can. */
function holdsUpBulks({ steps, collective }: Schedule, { topology }: Routes): boolean {
  if (!reducesWithoutOverlap({ collective, topology })) return false;
  let reductions = 0;
  for (let t = 0; t < steps.transferCount; t++) if (steps.isReduce(t)) reductions++;
  return reductions > collective.ranks;
}
