/** How much is simulated while the best pipeline depth of one candidate is looked for: counted in work, not in time. */
import { collectiveFacts } from '../ir/collective.ts';
import { budgetFactor } from '../ir/effort.ts';
import type { PriceRequest } from './price.ts';

/** Operations × bulks that may be simulated while the best depth of one candidate is looked for; quickly on more ranks more. */
const searchEffort = { quick: 60_000, full: 1_000_000 } as const;
/** The same on larger machines whose chips cannot send while they reduce: there bulks get in each other's way, and gain little. */
const effortOutOfStep = 400_000;
const manyRanks = 16;
/** Pipelines whose estimate is so much worse than the best plan known are not looked at: without slack a quick allreduce of 4 MiB on sg2260x4 loses 4 %. */
export const hopeless = 1.02;
/** What pipelines of bulks take where chips get out of step, in parts of what they take at least: over 37 drawn ones 1.18 in geometric mean. */
export const outOfStep = 1.15;
/** Depths beyond this are not tried: a message of 2 GiB is then cut below 2 KiB. */
export const deepest = 2 ** 20;

/** Operations × bulks that may be simulated for one candidate, where its bulks do not get in each other's way. */
export function searchEffortFor({ effort = 'full', topology }: PriceRequest): number {
  if (effort === 'full') return searchEffort.full;
  return Math.min(searchEffort.full, searchEffort.quick * budgetFactor(topology.chips.length));
}

/** Lets a search for the number of bulks go on until it has spent its effort or the time is up. */
export function effortFor(cost: (depth: number) => number, request: PriceRequest): (depth: number) => boolean {
  const most = getOutOfStep(request) ? Math.min(effortOutOfStep, searchEffortFor(request)) : searchEffortFor(request);
  return within(most, cost, request);
}

/** The same for a search that spends so much effort at most. */
export function within(
  most: number,
  cost: (depth: number) => number,
  { shouldStop, onSimulated }: PriceRequest,
): (depth: number) => boolean {
  let spent = 0;
  return (depth) => {
    const operations = cost(depth);
    spent += operations;
    if (spent > most || shouldStop?.() === true) return false;
    onSimulated?.(operations);
    return true;
  };
}

/** Whether pipelines of bulks are hardly worth a search. */
export function getOutOfStep(request: PriceRequest): boolean {
  return request.topology.chips.length >= manyRanks && reducesWithoutOverlap(request);
}

/** Whether there is something to reduce, on chips that cannot send meanwhile. */
export function reducesWithoutOverlap({
  collective,
  topology,
}: Pick<PriceRequest, 'collective' | 'topology'>): boolean {
  return collectiveFacts[collective.kind].reduces && topology.nodes.some(({ reduce }) => reduce?.overlap === false);
}
