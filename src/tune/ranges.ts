/** Chooses few plans and a range of sizes for each, with the sizes at which one overtakes the other. */
import type { Bytes } from '../ir/units.ts';
import { tuning } from './limits.ts';
import type { TunedPlan } from './timed-plan.ts';

/** Sizes from `from` (inclusive) to `to` (exclusive, except for the last range) that use one plan. */
export interface SizeRange {
  readonly from: Bytes;
  readonly to: Bytes;
  readonly plan: TunedPlan;
}

/**
 * `points` sizes from `first` to `last` inclusive, in geometric progression.
 * @param unit sizes in between are rounded to multiples of this: the bytes of an element
 */
export function sizeSeries(first: Bytes, last: Bytes, points: number, unit: Bytes = 1): readonly Bytes[] {
  if (first === last) return [first];
  const ratio = (last / first) ** (1 / (points - 1));
  const between = Array.from({ length: points - 2 }, (_, index) => {
    const size = unit * Math.round((first * ratio ** (index + 1)) / unit);
    return Math.min(last, Math.max(first, size));
  });
  return [...new Set([first, ...between, last])];
}

/**
 * Divides the sizes among few plans: the minimum number of ranges such that the plan of each is everywhere within
 * `tolerance` (0.01 = 1 %) of the best plan. Then every size gets the best of the chosen plans, and switch points are
 * located by bisection.
 * @param sizes ascending, at least one
 * @param plans at least one
 */
export function rangesFor(
  plans: readonly TunedPlan[],
  sizes: readonly Bytes[],
  tolerance: number,
): readonly SizeRange[] {
  const chosen = fewPlans(plans, sizes, tolerance);
  const firstOf = (index: number): SizeRange => ({
    from: sizes[index],
    to: sizes[index],
    plan: bestAt(chosen, sizes[index]),
  });
  const ranges: SizeRange[] = [firstOf(0)];
  for (let index = 1; index < sizes.length; index++) {
    const next = firstOf(index);
    for (const { size, plan } of switches(chosen, ranges[ranges.length - 1].plan, sizes[index - 1], next)) {
      extendLast(ranges, size);
      ranges.push({ from: size, to: size, plan });
    }
    extendLast(ranges, sizes[index]);
  }
  return ranges;
}

function extendLast(ranges: SizeRange[], to: Bytes): void {
  ranges[ranges.length - 1] = { ...ranges[ranges.length - 1], to };
}

/** The fastest plan at a size; ties go to the first. */
export function bestAt(plans: readonly TunedPlan[], size: Bytes): TunedPlan {
  return plans.reduce((best, plan) => (isFaster(plan, best, size) ? plan : best));
}

/** Times that differ by rounding errors only are equal. */
function isFaster(plan: TunedPlan, other: TunedPlan, size: Bytes): boolean {
  return plan.secondsAt(size) < other.secondsAt(size) * (1 - 1e-9);
}

/**
 * Greedy interval cover, which is optimal: from the smallest size on, always the plan that stays within the tolerance
 * for the most sizes. Ties go to the least sum of time ratios, then to the first plan.
 */
function fewPlans(plans: readonly TunedPlan[], sizes: readonly Bytes[], tolerance: number): readonly TunedPlan[] {
  const best = sizes.map((size) => bestAt(plans, size).secondsAt(size));
  const chosen = new Set<TunedPlan>();
  for (let start = 0; start < sizes.length; ) {
    let leader = { plan: plans[0], end: start, excess: 0 };
    for (const plan of plans) {
      let end = start;
      let excess = 0;
      for (; end < sizes.length; end++) {
        const seconds = plan.secondsAt(sizes[end]);
        if (seconds > best[end] * (1 + tolerance)) break;
        excess += best[end] === 0 ? 0 : seconds / best[end] - 1;
      }
      if (end > leader.end || (end === leader.end && excess < leader.excess - 1e-9)) leader = { plan, end, excess };
    }
    chosen.add(leader.plan);
    start = leader.end;
  }
  return [...chosen];
}

interface Switch {
  readonly size: Bytes;
  readonly plan: TunedPlan;
}

/** The switch points after `low`, where `plan` is best, up to `high`; a third plan may be best in between. */
function switches(plans: readonly TunedPlan[], plan: TunedPlan, low: Bytes, high: SizeRange): readonly Switch[] {
  if (plan === high.plan) return [];
  if (high.from <= low * tuning.precision || high.from - low <= 1) return [{ size: high.from, plan: high.plan }];
  const middle = Math.round(Math.sqrt(low * high.from));
  if (middle === low || middle === high.from) return [{ size: high.from, plan: high.plan }];
  const there = bestAt(plans, middle);
  return [
    ...switches(plans, plan, low, { from: middle, to: middle, plan: there }),
    ...switches(plans, there, middle, high),
  ];
}
