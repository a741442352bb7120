/** Adds to a proved plan the simulation results that target formats may need. */

import type { PlanBundle } from '../emit/index.ts';
import { Routes } from '../ir/routes.ts';
import { timeline } from '../model/index.ts';

/** The bundle with a function that simulates its timeline on demand, if topology and size are known. */
export function withTimeline(bundle: PlanBundle): PlanBundle {
  const { proved, topology, size } = bundle;
  if (topology === undefined || size === undefined) return bundle;
  return { ...bundle, timeline: () => timeline(proved.plan, Routes.of(topology), size) };
}
