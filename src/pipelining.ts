/**
 * The pipeline depth that suits a size: how many bulks a plan runs for, or into how many chunks its steps cut a shard.
 * Depths are compared by simulation; deep pipelines repeat themselves, so a few bulks tell what many will take.
 */
import { simulate } from './cost/index.ts';
import { collectiveFacts } from './ir/collective.ts';
import { operationCount, type Plan } from './ir/plan.ts';
import type { CostReport } from './ir/report.ts';
import type { Routes } from './ir/routes.ts';
import type { Bytes, Seconds } from './ir/units.ts';
import { lower } from './lower/index.ts';
import { type Priced, type PriceRequest, price } from './pricing.ts';
import { bestDepth } from './synth/index.ts';
import { prove } from './verify/index.ts';

/** Operations × bulks that may be simulated while the best depth of one candidate is looked for. */
const searchEffort = 3_000_000;
/** Near its minimum the time hardly depends on the depth, and every number of chunks has a plan of its own. */
const chunkPrecision = 0.25;
/** Exact up to 64 bulks. */
const bulkPrecision = 1 / 64;
/** Making and proving a plan takes about this many times as long as simulating it. */
const proofEffort = 4;
/** Operations × bulks of a plan that is simulated from its beginning to its end. */
const mostSimulated = 6_000_000;
/** Depths beyond this are not tried: a message of 2 GiB is then cut below 2 KiB. */
const deepest = 2 ** 20;
/** Pipelines whose outlook is so much worse than the best plan known are not looked at. */
const hopeless = 1.02;
/** A pipeline is simulated for so many bulks while it fills, and for as many again to see how long each further bulk takes. */
const mostFillBulks = 6;

/**
 * The candidate with the pipeline depth that suits the size best. However deep, no fewer bytes cross its busiest link, and no
 * way gets shorter; where these alone take longer than the best plan known, nothing is tried.
 */
export function tune(single: Priced, request: PriceRequest, routes: Routes, bestKnown: Seconds): Priced {
  if (leastLinkTime(single, routes) >= bestKnown) return single;
  const inBulks = request.bulks === 'auto' ? withBestBulks(single, request, routes, bestKnown) : single;
  return request.chunks === undefined ? withBestChunks(single, inBulks, request, routes, bestKnown) : inBulks;
}

/** The plan's program run for several slices of the message in turn; as it was where no depth is better than what is known. */
function withBestBulks(single: Priced, request: PriceRequest, routes: Routes, bestKnown: Seconds): Priced {
  // Three bulks in two simulations are the least that an estimate takes.
  const operations = operationCount(single.proved.plan);
  if (4 * operations > searchEffort) return single;
  const likely = outlook(single, simulate(single.proved.plan, routes, 0).seconds, routes);
  if (likely.seconds >= bestKnown * hopeless) return single;
  const { name } = single.proved.plan;
  // In plans with few bulks fewer copies of scratch are enough; otherwise all are the same, so one lowering serves the search.
  const pipelined = lower(single.schedule, { bulks: deepest, name });
  const fill = Math.min(mostFillBulks, Math.max(1, Math.round(searchEffort / (30 * operations))));
  const timeOf = (bulks: number): Seconds =>
    bulks === 1 ? single.cost.seconds : pipelineTime(pipelined, bulks, fill, request.size, routes);
  const { depth, seconds } = bestDepth(
    timeOf,
    Math.min(deepest, Math.max(1, Math.floor(mostSimulated / operations))),
    effortFor((bulks) => Math.min(bulks, 3 * fill) * operations, request),
    likely.depth,
    bulkPrecision,
  );
  if (depth === 1 || seconds >= Math.min(bestKnown, single.cost.seconds)) return single;
  const plan = lower(single.schedule, { bulks: depth, name });
  const { proved } = prove(plan, { topology: request.topology, slots: request.limits.slots });
  return proved === undefined ? single : { ...single, proved, cost: simulate(plan, routes, request.size) };
}

/** Simulated time of a plan in so many bulks; of deep pipelines from their first 2·`fill` bulks. */
function pipelineTime(plan: Plan, bulks: number, fill: number, size: Bytes, routes: Routes): Seconds {
  const timeOf = (simulated: number): Seconds =>
    simulate({ ...plan, bulks: simulated }, routes, (size * simulated) / bulks).seconds;
  if (bulks <= 3 * fill) return timeOf(bulks);
  const [filled, steady] = [timeOf(fill), timeOf(2 * fill)];
  return steady + ((bulks - 2 * fill) * (steady - filled)) / fill;
}

/** What a pipeline of a plan could be like. */
interface Outlook {
  readonly depth: number;
  readonly seconds: Seconds;
}

/**
 * Where to begin the search: T(k) = L + B/k + (k − 1)(R/k + a) for a plan that takes L for no bytes and L + B in one bulk, and
 * whose busiest link needs R for the bytes and a for the latencies of each bulk, is least at k = √((B − R)/a). Pipelines take longer
 * where bulks stand in each other's way, and hardly ever less.
 */
function outlook(single: Priced, latency: Seconds, routes: Routes): Outlook {
  const { links, seconds } = single.cost;
  let [bytesTime, latencyTime] = [0, 0];
  for (const { link, bytes, busy } of links) {
    const time = bytes / routes.topology.links[link].bandwidth;
    if (time < bytesTime) continue;
    bytesTime = time;
    latencyTime = busy - time;
  }
  const hidden = Math.max(0, seconds - latency - bytesTime);
  const paid = latencyTime > seconds * 1e-12 ? latencyTime : latency / 8;
  const depth = hidden > 0 && paid > 0 ? Math.max(1, Math.round(Math.sqrt(hidden / paid))) : 1;
  return { depth, seconds: latency + bytesTime + hidden / depth + (depth - 1) * latencyTime };
}

/**
 * More chunks instead of more bulks, for schedules whose steps are a pipeline themselves. Bulks do the same with smaller
 * plans, except where reducing and sending exclude each other: there the order that steps give keeps neighbours in time.
 */
function withBestChunks(
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
    chunkPrecision,
  );
  return found;
}

/** Lets a search go on until it has spent its effort or the time is up. */
function effortFor(cost: (depth: number) => number, { shouldStop }: PriceRequest): (depth: number) => boolean {
  let spent = 0;
  return (depth) => {
    spent += cost(depth);
    return spent <= searchEffort && shouldStop?.() !== true;
  };
}

/** What the bytes over the busiest link take at its bandwidth. */
export function leastLinkTime({ cost }: { readonly cost: CostReport }, { topology }: Routes): Seconds {
  return cost.links.reduce((most, { link, bytes }) => Math.max(most, bytes / topology.links[link].bandwidth), 0);
}
