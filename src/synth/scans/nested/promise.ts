/** About what a schedule takes, in bulks where these help: enough to choose among schedules that are made alike. */
import { leastTime, steppedTime } from '../../../cost/index.ts';
import type { Routes } from '../../../ir/routes.ts';
import type { Schedule } from '../../../ir/schedule.ts';
import type { Bytes, Seconds } from '../../../ir/units.ts';
import { getsOutOfStep } from '../estimate.ts';

/** A further bulk costs this part of all latencies. */
const partPaid = 8;

/**
 * Step by step T, of no bytes L, and R on the busiest link: k bulks take L + R + (T − L − R)/k and k·L/8 more, least at k = √(8·(T − L − R)/L). Chips
 * that cannot send while they reduce lose in bulks what these gain.
 */
export function promiseOf(schedule: Schedule, routes: Routes, size: Bytes): Seconds {
  const { seconds, latency } = steppedTime(schedule, routes, size);
  if (getsOutOfStep(routes) || latency === 0) return seconds;
  const busiest = leastTime(schedule, routes, size);
  const hidden = Math.max(0, seconds - latency - busiest);
  const depth = Math.max(1, Math.sqrt((partPaid * hidden) / latency));
  return Math.min(seconds, latency + busiest + hidden / depth);
}
