/** Into how many chunks a shard is cut, for schedules whose steps are a pipeline themselves. */
import { simulate } from '../cost/index.ts';
import { collectiveFacts } from '../ir/collective.ts';
import { operationCount } from '../ir/plan.ts';
import type { Routes } from '../ir/routes.ts';
import type { Seconds } from '../ir/units.ts';
import { bestDepth } from '../synth/index.ts';
import { deepest, effortFor, hopeless } from './effort.ts';
import { outlook } from './outlook.ts';
import { type Priced, type PriceRequest, price } from './price.ts';

/** Near its minimum the time hardly depends on the depth, and every number of chunks has a plan of its own. */
const precision = 0.25;
/** Making and proving a plan takes about this many times as long as simulating it. */
const proofEffort = 4;

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
  const exclusive = request.topology.nodes.some((node) => node.reduce !== undefined && !node.reduce.overlap);
  if (!exclusive || !collectiveFacts[request.collective.kind].reduces) return best;
  if (single.candidate.build(2).steps.stepCount === single.schedule.steps.stepCount) return best;
  let found = best;
  const likely = outlook(single, simulate(single.proved.plan, routes, 0).seconds, routes);
  if (likely.seconds >= bestKnown * hopeless) return best;
  bestDepth(
    (multiple) => {
      const outcome =
        multiple === 1 ? single : price(single.candidate, request, routes, Number.POSITIVE_INFINITY, multiple);
      if (outcome.kind === 'dismissed') return Number.POSITIVE_INFINITY;
      if (outcome.cost.seconds < found.cost.seconds) found = outcome;
      return outcome.cost.seconds;
    },
    deepest,
    effortFor((multiple) => proofEffort * multiple * operationCount(single.proved.plan), request),
    likely.depth,
    precision,
  );
  return found;
}
