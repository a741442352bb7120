/** What candidates cost, and the number of bulks that suits them. */
import { leastTime } from '../cost/index.ts';
import type { Routes } from '../ir/routes.ts';
import type { Seconds } from '../ir/units.ts';
import { likelyWithBulks, onMoreChannels, withBestBulks } from './bulks.ts';
import { outOfStep, reducesWithoutOverlap } from './effort.ts';
import type { Priced, PriceRequest } from './price.ts';

export { probedWithBulks } from './bulks.ts';
export { withCopyOrder } from './copy-orders.ts';
export { nearEnough } from './effort.ts';
export { inManyLanes, withInstances } from './instances.ts';
export { describePipeline, type FullPipeline, type PipelineReport, type SingleBulk } from './pipeline.ts';
export { leastLinkTime } from './pipeline-estimate.ts';
export { fewTransfers, type Outcome, type Priced, type PriceRequest, price, priceWithinLimits } from './price.ts';
export { scheduleEstimate } from './schedule-estimate.ts';
export { withBestSizes } from './sizes/index.ts';

/**
 * The candidate with the pipeline depth that suits the size best. However deep, no fewer bytes cross its busiest link, and no
 * way gets shorter; where these alone take longer than the best plan known, nothing is tried. Nor is it where ranks keep in step, since
 * from one bulk to the next they would lose it, and for candidates that are made for the size.
 */
export function tune(single: Priced, request: PriceRequest, routes: Routes, bestKnown: Seconds): Priced {
  const isAsked = request.bulks !== 'auto' && request.chunks !== undefined;
  if (isAsked || isFixed(single)) return single;
  const least = leastTime(single.schedule, routes, request.size);
  if (least >= bestKnown) return single;
  const mayGain = request.bulks === 'auto' && inBulksAtLeast(single, least, request) < bestKnown;
  const onChannels = request.bulks === 'auto' ? single : onMoreChannels(single, request, routes);
  return mayGain ? withBestBulks(single, request, routes, bestKnown) : onChannels;
}

/**
 * About what `tune` will make of a candidate in bulks, told from one bulk: seldom less than that, and more where bulks stand in each
 * other's way.
 */
export function tuningEstimate(single: Priced, request: PriceRequest, routes: Routes): Seconds {
  const { seconds } = single.cost;
  if (isFixed(single) || request.bulks === 1) return seconds;
  // Of bulks that are asked for no more than their channels changes: at best the busiest link is never idle.
  if (request.bulks !== 'auto') return Math.min(seconds, longestBusy(single));
  const least = inBulksAtLeast(single, leastTime(single.schedule, routes, request.size), request);
  const likely = likelyWithBulks(single, request, routes) * (reducesWithoutOverlap(request) ? outOfStep : 1);
  return Math.min(seconds, Math.max(least, likely));
}

/** No pipeline is looked for: bulks would get candidates out of step, or they are made for the size. */
function isFixed({ schedule, candidate }: Priced): boolean {
  return schedule.inStep === true || candidate.isDeepEnough === true;
}

/** What a pipeline takes however deep it is. */
function inBulksAtLeast(single: Priced, least: Seconds, request: PriceRequest): Seconds {
  return Math.max(longestBusy(single), reducesWithoutOverlap(request) ? least * outOfStep : least);
}

/** How long the busiest link is taken: bulks are so many messages for each one, so that it is never taken for less. */
function longestBusy({ cost }: Priced): Seconds {
  return cost.links.reduce((longest, { busy }) => Math.max(longest, busy), 0);
}
