/** In how many slices which plan is best, when all slices have their best sizes. */
import { operationCount } from '../../ir/plan.ts';
import { rounding } from '../../ir/units.ts';
import { unroll } from '../../passes/index.ts';
import { mostFailures } from '../../synth/index.ts';
import type { Priced } from '../price.ts';
import { bestSizes, type Sized, type SizeSearch } from './best-sizes.ts';
import { emptyClasses, withoutSmall } from './without-small.ts';

/** A plan with its best sizes. */
export interface Tried {
  readonly plan: Priced;
  readonly sized: Sized;
  /** More slices may be better: chunks are left over for less than one slice. */
  readonly mayGain: boolean;
}

/** Plans with all slices written out are not larger. */
export const mostOperations = 3000;
/** Numbers of slices that the best plans are tried in after one and two; and how many plans that are. */
const moreSlices = [3, 4, 6, 8, 12] as const;
const mostDeep = 3;

/** The fastest of all: every plan in one and in two slices, then the best ones in more as long as that gains. */
export function fastestInSlices(plans: readonly Priced[], search: SizeSearch): Tried | undefined {
  const tried = plans.flatMap((plan) => inFewSlices(plan, search) ?? []);
  const best = different(tried.sort((a, b) => a.sized.seconds - b.sized.seconds)).slice(0, mostDeep);
  const deep = best.map((one) => (one.mayGain ? inMoreSlices(one, search) : one));
  return deep.sort((a, b) => a.sized.seconds - b.sized.seconds).at(0);
}

/** The better of one slice and two. */
function inFewSlices(plan: Priced, search: SizeSearch): Tried | undefined {
  const one = inSlices(plan, 1, search);
  if (one === undefined) return undefined;
  const two = inSlices(plan, 2, search);
  return two !== undefined && two.sized.seconds < one.sized.seconds ? two : one;
}

function inMoreSlices(given: Tried, search: SizeSearch): Tried {
  let best = given;
  let failures = 0;
  for (const slices of moreSlices) {
    const next = inSlices(best.plan, slices, search);
    if (next === undefined) return best;
    if (next.sized.seconds < best.sized.seconds) best = next;
    else failures++;
    if (!next.mayGain || failures === mostFailures) return best;
  }
  return best;
}

/** @returns undefined where steps keep ranks together, so that slices would not overlap, and where it would be too large */
function inSlices(plan: Priced, slices: number, search: SizeSearch): Tried | undefined {
  if (slices > 1 && plan.schedule.inStep === true) return undefined;
  if (slices * operationCount(plan.checked.plan) > mostOperations) return undefined;
  const sized = bestSizes(unroll(plan.schedule, slices), true, search);
  if (sized === undefined) return undefined;
  const needed = sized.classes.count - emptyClasses(sized).length;
  const mayGain = slices > 1 && needed * slices > sized.classes.count * (slices - 1);
  return { plan, sized: withoutSmall(sized, search), mayGain };
}

/** Of plans that take the same time, in order, the first. */
function different(order: readonly Tried[]): Tried[] {
  return order.filter(
    ({ sized }, index) => index === 0 || sized.seconds > order[index - 1].sized.seconds * (1 + rounding),
  );
}
