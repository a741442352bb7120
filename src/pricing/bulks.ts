/** How many bulks suit a size: the plan's program run for several slices of the message in turn. */
import { simulate } from '../cost/index.ts';
import { operationCount, type Plan } from '../ir/plan.ts';
import type { Routes } from '../ir/routes.ts';
import type { Bytes, Seconds } from '../ir/units.ts';
import { lower } from '../lower/index.ts';
import { bestDepth } from '../synth/index.ts';
import { prove } from '../verify/index.ts';
import { deepest, effortFor, hopeless, searchEffort } from './effort.ts';
import { outlook } from './outlook.ts';
import type { Priced, PriceRequest } from './price.ts';

/** Exact up to 64 bulks. */
const precision = 1 / 64;
/** Operations × bulks of a plan that is simulated from its beginning to its end. */
const mostSimulated = 6_000_000;
/** A pipeline is simulated for so many bulks while it fills, and for as many again to see how long each further bulk takes. */
const mostFillBulks = 6;

/**
 * The plan's program run for several slices of the message in turn; as it was where no depth is better than what is known.
 * @param single the plan in one bulk, or in as few as the memory that messages are staged in asks for
 */
export function withBestBulks(single: Priced, request: PriceRequest, routes: Routes, bestKnown: Seconds): Priced {
  // Three bulks in two simulations are the least that an estimate takes.
  const operations = operationCount(single.proved.plan);
  if (4 * operations > searchEffort) return single;
  const { name, bulks: least } = single.proved.plan;
  const whole =
    least === 1 ? single : { ...single, cost: simulate(inBulks(single.proved.plan, 1), routes, request.size) };
  const likely = outlook(whole, simulate(inBulks(single.proved.plan, 1), routes, 0).seconds, routes);
  if (likely.seconds >= bestKnown * hopeless) return single;
  // In plans with few bulks fewer copies of scratch are enough; otherwise all are the same, so one lowering serves the search.
  const pipelined = lower(single.schedule, { bulks: deepest, name });
  const fill = Math.min(mostFillBulks, Math.max(1, Math.round(searchEffort / (30 * operations))));
  const timeOf = (bulks: number): Seconds => {
    if (bulks <= least) return bulks === least ? single.cost.seconds : Number.POSITIVE_INFINITY;
    return pipelineTime(pipelined, bulks, fill, request.size, routes);
  };
  const { depth, seconds } = bestDepth(
    timeOf,
    Math.min(deepest, Math.max(1, Math.floor(mostSimulated / operations))),
    effortFor((bulks) => Math.min(bulks, 3 * fill) * operations, request),
    Math.max(least, likely.depth),
    precision,
  );
  if (depth <= least || seconds >= Math.min(bestKnown, single.cost.seconds)) return single;
  const plan = lower(single.schedule, { bulks: depth, name });
  const { proved } = prove(plan, { topology: request.topology, slots: request.limits.slots });
  return proved === undefined ? single : { ...single, proved, cost: simulate(plan, routes, request.size) };
}

/** Simulated time of a plan in so many bulks; of deep pipelines from their first 2·`fill` bulks. */
function pipelineTime(plan: Plan, bulks: number, fill: number, size: Bytes, routes: Routes): Seconds {
  const timeOf = (simulated: number): Seconds =>
    simulate(inBulks(plan, simulated), routes, (size * simulated) / bulks).seconds;
  if (bulks <= 3 * fill) return timeOf(bulks);
  const [filled, steady] = [timeOf(fill), timeOf(2 * fill)];
  return steady + ((bulks - 2 * fill) * (steady - filled)) / fill;
}

/** The same program for another number of bulks, to be simulated only: copies of scratch are left as they are. */
function inBulks(plan: Plan, bulks: number): Plan {
  return { ...plan, bulks };
}
