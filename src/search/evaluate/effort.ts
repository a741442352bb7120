/** How much is simulated while the best pipeline depth of one candidate is looked for: counted in work, not in time. */
import { budgetFactor, type Effort, partOfWork } from '../../ir/effort.ts';
import type { Topology } from '../../ir/topology.ts';

/** Operations × bulks of a plan that is simulated from its beginning to its end, if the limits allow as many. */
export const maxSimulatedOperations = 3_000_000;
/** Plans that are so near their bound are good enough. */
export const nearEnough = 1.005;

/** What may be done of so much, quickly on more ranks more. */
export function allowedOf(most: number, effort: Effort, { chips }: Topology): number {
  return Math.min(most, most * partOfWork[effort] * budgetFactor(chips.length));
}
