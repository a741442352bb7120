/**
 * Estimates of the time that schedules and plans take in the number of bulks that suits them, made before a deeper plan
 * is simulated.
 */

import { collectiveFacts } from '../../ir/collective.ts';
import type { CostReport } from '../../ir/report.ts';
import type { Routes } from '../../ir/routes.ts';
import type { Schedule } from '../../ir/schedule.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { flowingTime, occupancyLowerBound, steppedTime } from '../../model/index.ts';
import { type Depth, estimatedDepth } from '../../synth/index.ts';
import type { EvaluatedCandidate, EvaluationRequest } from './evaluate-candidate.ts';

/**
 * Typical time of a pipeline whose chips become unsynchronised, relative to its lower bound: 1.18 in geometric mean
 * over 37 random ones.
 */
export const unsynchronisedPenalty = 1.15;

/**
 * Estimates a schedule as proposed, by list scheduling of its messages. If chips that cannot send while they reduce
 * have several messages to reduce, bulks delay each other. If the number of bulks is given, only the time of one bulk
 * is estimated; synchronised schedules take the sum of their steps.
 */
export function scheduleEstimate(schedule: Schedule, routes: Routes, size: Bytes, bulks: number | 'auto'): Seconds {
  if (schedule.inStep === true) return steppedTime(schedule, routes, size).seconds;
  const { seconds, latency } = flowingTime(schedule, routes, size) ?? steppedTime(schedule, routes, size);
  if (bulks !== 'auto') return seconds;
  const inBulks = estimatedDepth(seconds, latency, occupancyLowerBound(schedule, routes, size)).seconds;
  return holdsUpBulks(schedule, routes) ? Math.min(seconds, inBulks * unsynchronisedPenalty) : inBulks;
}

/** In chains every chip reduces once per bulk, and bulks follow each other without delay. */
function holdsUpBulks({ steps, collective }: Schedule, { topology }: Routes): boolean {
  if (!reducesWithoutOverlap({ collective, topology })) return false;
  let reductions = 0;
  for (let t = 0; t < steps.transferCount; t++) if (steps.isReduce(t)) reductions++;
  return reductions > collective.ranks;
}

/** Whether the collective reduces, on chips that cannot send meanwhile. */
export function reducesWithoutOverlap({
  collective,
  topology,
}: Pick<EvaluationRequest, 'collective' | 'topology'>): boolean {
  return collectiveFacts[collective.kind].reduces && topology.nodes.some(({ reduce }) => reduce?.overlap === false);
}

/**
 * Estimates the pipelined time of a plan that was simulated in one bulk. Pipelines take longer where bulks delay each
 * other, and hardly ever less.
 * @param latency its time for an empty message
 * @param most the maximum number of bulks
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

/** Time that the bytes over the busiest link take at its bandwidth. */
export function busiestLinkTime({ cost }: { readonly cost: CostReport }, { topology }: Routes): Seconds {
  return cost.links.reduce((most, { link, bytes }) => Math.max(most, bytes / topology.links[link].bandwidth), 0);
}
