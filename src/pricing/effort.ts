/** How much is simulated while the best pipeline depth of one candidate is looked for: counted in work, not in time. */
import type { PriceRequest } from './price.ts';

/** Operations × bulks that may be simulated while the best depth of one candidate is looked for. */
export const searchEffort = 3_000_000;
/** Depths beyond this are not tried: a message of 2 GiB is then cut below 2 KiB. */
export const deepest = 2 ** 20;
/** Pipelines whose outlook is so much worse than the best plan known are not looked at. */
export const hopeless = 1.02;

/** Lets a search go on until it has spent its effort or the time is up. */
export function effortFor(cost: (depth: number) => number, { shouldStop }: PriceRequest): (depth: number) => boolean {
  let spent = 0;
  return (depth) => {
    spent += cost(depth);
    return spent <= searchEffort && shouldStop?.() !== true;
  };
}
