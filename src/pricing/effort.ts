/** How much is simulated while the best pipeline depth of one candidate is looked for: counted in work, not in time. */
import { collectiveFacts } from '../ir/collective.ts';
import { budgetFactor, partOfWork } from '../ir/effort.ts';
import type { PriceRequest } from './price.ts';

/** Operations × bulks that may be simulated while the best depth of one candidate is looked for. */
const mostSearched = 500_000;
/** Pipelines whose estimate is so much worse than the best plan known are not looked at: without slack a quick allreduce of 4 MiB on sg2260x4 loses 4 %. */
export const hopeless = 1.02;
/** Plans that are so near their bound are good enough. */
export const nearEnough = 1.005;
/** Less of a gain is not worth messages of all sizes, or copies in another order. */
export const worthwhile = 0.999;
/** What pipelines of bulks take where chips get out of step, in parts of what they take at least: over 37 drawn ones 1.18 in geometric mean. */
export const outOfStep = 1.15;
/** Depths beyond this are not tried: a message of 2 GiB is then cut below 2 KiB. */
export const deepest = 2 ** 20;

/** What may be done of so much, quickly on more ranks more. */
export function allowedOf(most: number, { effort = 'full', topology }: PriceRequest): number {
  return Math.min(most, most * partOfWork[effort] * budgetFactor(topology.chips.length));
}

export function searchEffortFor(request: PriceRequest): number {
  return allowedOf(mostSearched, request);
}

/** Lets a search for the number of bulks go on until it has spent its effort or the time is up. */
export function effortFor(cost: (depth: number) => number, request: PriceRequest): (depth: number) => boolean {
  const { shouldStop, onSimulated } = request;
  const most = searchEffortFor(request);
  let spent = 0;
  return (depth) => {
    const operations = cost(depth);
    spent += operations;
    if (spent > most || shouldStop?.() === true) return false;
    onSimulated?.(operations);
    return true;
  };
}

/** Whether there is something to reduce, on chips that cannot send meanwhile. */
export function reducesWithoutOverlap({
  collective,
  topology,
}: Pick<PriceRequest, 'collective' | 'topology'>): boolean {
  return collectiveFacts[collective.kind].reduces && topology.nodes.some(({ reduce }) => reduce?.overlap === false);
}
