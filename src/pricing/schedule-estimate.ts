/** What a schedule promises: about what it takes in the number of bulks that suits it, told before it is lowered. */
import { leastTime, steppedTime } from '../cost/index.ts';
import type { Routes } from '../ir/routes.ts';
import type { Schedule } from '../ir/schedule.ts';
import type { Bytes, Seconds } from '../ir/units.ts';

/** Where chips stand in each other's way it takes so many times as long, or longer. */
const inTheWay = 1.1;
/** A further bulk costs this part of all latencies. */
const partPaid = 8;

/**
 * The time of a pipeline whose steps wait for each other within a bulk: T(k) = L + R + (T − L − R)/k for a schedule that takes T step by
 * step, L for no bytes, and whose busiest link or chip needs R; k from what it costs (pipeline-estimate.ts). Schedules that keep in step, and numbers of
 * bulks that are given, leave T. Where chips reduce messages while others wait to be sent over the same link, a tenth more.
 */
export function scheduleEstimate(schedule: Schedule, routes: Routes, size: Bytes, bulks: number | 'auto'): Seconds {
  const { seconds, latency, isUneven } = steppedTime(schedule, routes, size);
  if (schedule.inStep === true) return seconds;
  const factor = isUneven ? inTheWay : 1;
  if (bulks !== 'auto') return seconds * factor;
  const busiest = leastTime(schedule, routes, size);
  const hidden = Math.max(0, seconds - latency - busiest);
  const depth = latency === 0 ? 1 : Math.max(1, Math.round(Math.sqrt((partPaid * hidden) / latency)));
  return Math.min(seconds, latency + busiest + hidden / depth) * factor;
}
