/** What a deeper pipeline could gain, told from one bulk before any deeper plan is simulated. */

import type { CostReport } from '../ir/report.ts';
import type { Routes } from '../ir/routes.ts';
import type { Seconds } from '../ir/units.ts';
import type { Priced } from './price.ts';

/** What a pipeline of a plan could be like. */
export interface PipelineEstimate {
  readonly depth: number;
  readonly seconds: Seconds;
}

/**
 * Where to begin the search: T(k) = L + B/k + (k − 1)(R/k + a) for a plan that takes L for no bytes and L + B in one bulk, and
 * whose busiest link needs R for the bytes and a for the latencies of each bulk, is least at k = √((B − R)/a). Pipelines take longer
 * where bulks stand in each other's way, and hardly ever less.
 *
 * @param most the most bulks there may be
 */
export function pipelineEstimate(
  single: Priced,
  latency: Seconds,
  routes: Routes,
  most = Number.POSITIVE_INFINITY,
): PipelineEstimate {
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
  const suited = hidden > 0 && paid > 0 ? Math.max(1, Math.round(Math.sqrt(hidden / paid))) : 1;
  const depth = Math.min(most, suited);
  return { depth, seconds: latency + bytesTime + hidden / depth + (depth - 1) * latencyTime };
}

/** What the bytes over the busiest link take at its bandwidth. */
export function leastLinkTime({ cost }: { readonly cost: CostReport }, { topology }: Routes): Seconds {
  return cost.links.reduce((most, { link, bytes }) => Math.max(most, bytes / topology.links[link].bandwidth), 0);
}
