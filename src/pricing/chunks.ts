/** Into how many chunks a shard is cut, for schedules whose steps are a pipeline themselves. */
import { simulate } from '../cost/index.ts';
import { operationCount } from '../ir/plan.ts';
import type { Routes } from '../ir/routes.ts';
import type { Seconds } from '../ir/units.ts';
import { lower, staged } from '../lower/index.ts';
import { bestDepth } from '../synth/index.ts';
import { deepest, hopeless, mostSearched, reducesWithoutOverlap, within } from './effort.ts';
import { pipelineEstimate } from './pipeline-estimate.ts';
import { type Priced, type PriceRequest, price } from './price.ts';

/** Near its minimum the time hardly depends on the depth, and every number of chunks has a plan of its own. */
const precision = 0.25;

/**
 * More chunks instead of more bulks, for schedules whose steps are a pipeline themselves. Bulks do the same with smaller
 * plans, except where reducing and sending exclude each other: there the order that steps give keeps neighbours in time.
 */
export function withBestChunks(
  single: Priced,
  best: Priced,
  request: PriceRequest,
  routes: Routes,
  bestKnown: Seconds,
): Priced {
  if (!reducesWithoutOverlap(request)) return best;
  const likely = pipelineEstimate(single, simulate(single.checked.plan, routes, 0).seconds, routes);
  if (likely.seconds >= bestKnown * hopeless) return best;
  const schedule = (multiple: number) => staged(single.candidate.build(multiple), request.topology);
  if (schedule(2).steps.stepCount === single.schedule.steps.stepCount) return best;
  const { bulks } = single.checked.plan;
  const timeOf = (multiple: number): Seconds =>
    multiple === 1 ? single.cost.seconds : simulate(lower(schedule(multiple), { bulks }), routes, request.size).seconds;
  const operations = operationCount(single.checked.plan);
  const { depth, seconds } = bestDepth(
    timeOf,
    Math.max(1, Math.floor(Math.min(request.limits.operations, mostSearched / 4) / operations)),
    within(mostSearched, (multiple) => multiple * operations, request),
    Math.min(deepest, likely.depth),
    precision,
  );
  if (depth === 1 || seconds >= Math.min(bestKnown, best.cost.seconds)) return best;
  const outcome = price(single.candidate, request, routes, Number.POSITIVE_INFINITY, depth);
  return outcome.kind === 'priced' ? outcome : best;
}
