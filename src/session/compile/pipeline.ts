/** What a compile says about bulks: how the chosen pipeline runs when it is full, what holds it up, and what it gains. */

import { operationCount, type Plan } from '../../ir/plan.ts';
import type { ResourceLoad } from '../../ir/report.ts';
import type { Routes } from '../../ir/routes.ts';
import type { Schedule } from '../../ir/schedule.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { lower } from '../../lower/index.ts';
import {
  bulkLoads,
  type ReductionOverlap,
  reductionOverlap,
  type SteadyState,
  simulate,
  steadyState,
} from '../../model/index.ts';

/** Operations × bulks of plans that are simulated once more to compare. */
const mostSimulated = 10_000;

/** A pipeline of two bulks or more. */
export interface FullPipeline extends SteadyState {
  readonly kind: 'bulks';
  readonly bulks: number;
  /** The busiest resource per bulk; undefined where nothing takes time. */
  readonly busiest: ResourceLoad | undefined;
  /** True where not the busiest resource but waits between operations ask for the least interval. */
  readonly waits: boolean;
  /** T − (k − 1) · II: what the time is more than an interval for each further bulk; undefined where the first follow more closely. */
  readonly fill: Seconds | undefined;
  /** Time of the same plan in one bulk. */
  readonly single: Seconds;
}

/** One bulk, and what a second would do. */
export interface SingleBulk {
  readonly kind: 'single';
  /** Time of the same plan in two bulks. */
  readonly double: Seconds;
  /** The busiest resource. */
  readonly busiest: ResourceLoad | undefined;
  /** Latencies that each bulk adds on it, however few its bytes. */
  readonly added: Seconds;
}

export interface PipelineReport {
  readonly pipeline: FullPipeline | SingleBulk | undefined;
  /** Of the chip that reduces longest; undefined where nothing takes time to reduce, or the run is too long to be looked at. */
  readonly reductions: ReductionOverlap | undefined;
}

/** @param seconds simulated time of the plan for a message of `size` bytes */
export function describePipeline(
  plan: Plan,
  schedule: Schedule,
  routes: Routes,
  size: Bytes,
  seconds: Seconds,
): PipelineReport {
  const pipeline = plan.bulks > 1 ? full(plan, routes, size, seconds) : single(plan, schedule, routes, size);
  return { pipeline, reductions: reductionOverlap(plan, routes, size) };
}

function full(plan: Plan, routes: Routes, size: Bytes, seconds: Seconds): FullPipeline | undefined {
  const steady = steadyState(plan, routes, size);
  if (steady === undefined) return undefined;
  const fill = seconds - (plan.bulks - 1) * steady.interval;
  return {
    ...steady,
    kind: 'bulks',
    bulks: plan.bulks,
    busiest: steady.loads[0],
    waits: steady.recurrence !== undefined,
    fill: fill > 0 ? fill : undefined,
    single: simulate({ ...plan, bulks: 1 }, routes, size).seconds,
  };
}

function single(plan: Plan, schedule: Schedule, routes: Routes, size: Bytes): SingleBulk | undefined {
  if (2 * operationCount(plan) > mostSimulated) return undefined;
  const double = simulate(lower(schedule, { bulks: 2 }), routes, size).seconds;
  const [busiest] = bulkLoads(plan, routes, size);
  if (busiest === undefined) return { kind: 'single', double, busiest, added: 0 };
  const half = bulkLoads(plan, routes, size / 2).find(
    ({ kind, index }) => kind === busiest.kind && index === busiest.index,
  );
  // Loads are linear in the size: what half the size does not halve is paid again for every bulk.
  return { kind: 'single', double, busiest, added: half === undefined ? 0 : 2 * half.seconds - busiest.seconds };
}
