/** Adds to a proved plan what target formats may ask of the cost model. */

import type { PlanBundle } from '../emit/index.ts';
import { Routes } from '../ir/routes.ts';
import { timeline } from '../model/index.ts';

/** The bundle with its simulated timeline, where topology and size are known; it is made when it is asked for. */
export function withTimeline(bundle: PlanBundle): PlanBundle {
  const { proved, topology, size } = bundle;
  if (topology === undefined || size === undefined) return bundle;
  return { ...bundle, timeline: () => timeline(proved.plan, Routes.of(topology), size) };
}
