/** What candidates cost, and the pipeline depth that suits them: how many bulks, or how many chunks. */
import type { Routes } from '../ir/routes.ts';
import type { Seconds } from '../ir/units.ts';
import { withBestBulks } from './bulks.ts';
import { withBestChunks } from './chunks.ts';
import { leastLinkTime } from './outlook.ts';
import type { Priced, PriceRequest } from './price.ts';

export { leastLinkTime } from './outlook.ts';
export { type Outcome, type Priced, type PriceRequest, price, priceWithinLimits } from './price.ts';

/**
 * The candidate with the pipeline depth that suits the size best. However deep, no fewer bytes cross its busiest link, and no
 * way gets shorter; where these alone take longer than the best plan known, nothing is tried.
 */
export function tune(single: Priced, request: PriceRequest, routes: Routes, bestKnown: Seconds): Priced {
  if (leastLinkTime(single, routes) >= bestKnown) return single;
  const inBulks = request.bulks === 'auto' ? withBestBulks(single, request, routes, bestKnown) : single;
  return request.chunks === undefined ? withBestChunks(single, inBulks, request, routes, bestKnown) : inBulks;
}
