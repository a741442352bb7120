/** Reports on bulks: the initiation interval of the chosen pipeline, its bottleneck, and what the pipeline gains. */

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

/** Largest operations × bulks of plans that are simulated again for comparison. */
const mostSimulated = 10_000;

/** A pipeline of two bulks or more. */
export interface FullPipeline extends SteadyState {
  readonly kind: 'bulks';
  readonly bulks: number;
  /** The busiest resource per bulk; undefined where nothing takes time. */
  readonly busiest: ResourceLoad | undefined;
  /** Whether waits between operations, and not the busiest resource, determine the initiation interval. */
  readonly waits: boolean;
  /** T − (k − 1) · II, the time to fill and drain the pipeline; undefined if the first bulks follow each other faster than the interval. */
  readonly fill: Seconds | undefined;
  /** Time of the same plan in one bulk. */
  readonly single: Seconds;
}

/** A plan in one bulk, and the effect that a second bulk would have. */
export interface SingleBulk {
  readonly kind: 'single';
  /** Time of the same plan in two bulks. */
  readonly double: Seconds;
  /** The busiest resource. */
  readonly busiest: ResourceLoad | undefined;
  /** Latency in seconds that each bulk adds on this resource, independent of its bytes. */
  readonly added: Seconds;
}

export interface PipelineReport {
  readonly pipeline: FullPipeline | SingleBulk | undefined;
  /** Overlap of reductions with communication on the chip that reduces longest; undefined if reductions take no time, or if the run is too long. */
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
  // Loads are linear in the size: the part that does not halve with the size is paid again for every bulk.
  return { kind: 'single', double, busiest, added: half === undefined ? 0 : 2 * half.seconds - busiest.seconds };
}
