/** How much is simulated while the best pipeline depth of one candidate is looked for: counted in work, not in time. */
import { budgetFactor, partOfWork } from '../ir/effort.ts';
import type { PriceRequest } from './price.ts';

/** Operations × bulks of a plan that is simulated from its beginning to its end, if the limits allow as many. */
export const mostSimulated = 2_000_000;
/** Plans that are so near their bound are good enough. */
export const nearEnough = 1.005;

/** What may be done of so much, quickly on more ranks more. */
export function allowedOf(most: number, { effort = 'full', topology }: PriceRequest): number {
  return Math.min(most, most * partOfWork[effort] * budgetFactor(topology.chips.length));
}

/** What may be simulated while the best depth of one candidate is looked for. */
export function searchEffortFor(request: PriceRequest): number {
  return allowedOf(mostSimulated / 4, request);
}
