/** What schedules and plans promise in the number of bulks that suits them, told before a deeper plan is simulated. */

import { collectiveFacts } from '../../ir/collective.ts';
import type { CostReport } from '../../ir/report.ts';
import type { Routes } from '../../ir/routes.ts';
import type { Schedule } from '../../ir/schedule.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { flowingTime, occupancyLowerBound, steppedTime } from '../../model/index.ts';
import { type Depth, estimatedDepth } from '../../synth/index.ts';
import type { EvaluatedCandidate, EvaluationRequest } from './evaluate-candidate.ts';

/** What pipelines of bulks take where chips get out of step, in parts of what they take at least: over 37 drawn ones 1.18 in geometric mean. */
export const unsynchronisedPenalty = 1.15;

/**
 * A schedule as it is proposed, by list scheduling of its messages. Where chips that cannot send while they reduce reduce several messages, bulks get into
 * each other's way. Numbers of bulks that are given leave its time; schedules that keep in step take what their steps take one after the other.
 */
export function scheduleEstimate(schedule: Schedule, routes: Routes, size: Bytes, bulks: number | 'auto'): Seconds {
  if (schedule.inStep === true) return steppedTime(schedule, routes, size).seconds;
  const { seconds, latency } = flowingTime(schedule, routes, size) ?? steppedTime(schedule, routes, size);
  if (bulks !== 'auto') return seconds;
  const inBulks = estimatedDepth(seconds, latency, occupancyLowerBound(schedule, routes, size)).seconds;
  return holdsUpBulks(schedule, routes) ? Math.min(seconds, inBulks * unsynchronisedPenalty) : inBulks;
}

/** In chains chips reduce once, and bulks follow each other as closely as they can. */
function holdsUpBulks({ steps, collective }: Schedule, { topology }: Routes): boolean {
  if (!reducesWithoutOverlap({ collective, topology })) return false;
  let reductions = 0;
  for (let t = 0; t < steps.transferCount; t++) if (steps.isReduce(t)) reductions++;
  return reductions > collective.ranks;
}

/** Whether there is something to reduce, on chips that cannot send meanwhile. */
export function reducesWithoutOverlap({
  collective,
  topology,
}: Pick<EvaluationRequest, 'collective' | 'topology'>): boolean {
  return collectiveFacts[collective.kind].reduces && topology.nodes.some(({ reduce }) => reduce?.overlap === false);
}

/**
 * A plan that was simulated in one bulk. Pipelines take longer where bulks stand in each other's way, and hardly ever less.
 *
 * @param latency what it takes for no bytes
 * @param most the most bulks there may be
 */
export function pipelineEstimate(
  { cost }: Pick<EvaluatedCandidate, 'cost'>,
  latency: Seconds,
  { topology }: Routes,
  most = Number.POSITIVE_INFINITY,
): Depth {
  let [bytesTime, latencyTime] = [0, 0];
  for (const { link, bytes, busy } of cost.links) {
    const time = bytes / topology.links[link].bandwidth;
    if (time >= bytesTime) [bytesTime, latencyTime] = [time, busy - time];
  }
  return estimatedDepth(cost.seconds, latency, bytesTime, latencyTime, most);
}

/** What the bytes over the busiest link take at its bandwidth. */
export function busiestLinkTime({ cost }: { readonly cost: CostReport }, { topology }: Routes): Seconds {
  return cost.links.reduce((most, { link, bytes }) => Math.max(most, bytes / topology.links[link].bandwidth), 0);
}
