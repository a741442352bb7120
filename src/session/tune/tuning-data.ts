/** A tuning as plain data, which can be posted from a worker. Plans are named by their number in `plans`. */

import { lowerBound } from '../../bounds/index.ts';
import type { CollectiveKind } from '../../ir/collective.ts';
import type { Dtype } from '../../ir/dtype.ts';
import type { Limits } from '../../ir/limits.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { consistentBound } from '../../search/consistent-bound.ts';
import { originOf, provedBundle } from '../../search/proved-bundle.ts';
import type { RuleComparison } from '../../tune/comparing.ts';
import type { SizeRange } from '../../tune/ranges.ts';
import type { TunedPlan } from '../../tune/timed-plan.ts';
import type { TunedSize, TuneResult } from '../../tune/tune.ts';
import { type PostedBundle, posted } from '../compile/found-plan.ts';

/** A plan that is in use for at least one size. */
export interface TunedPlanData {
  readonly name: string;
  /** The schedule that the plan is made of: the same for all numbers of bulks. */
  readonly algorithm: string;
  readonly engine: string;
  /** Chunks per shard. */
  readonly chunks: number;
  readonly bulks: number;
  /** Undefined on machines without protocols, and without lanes. */
  readonly protocol: string | undefined;
  readonly instances: number | undefined;
  readonly steps: number;
  /** The latency term: its time for a message of no bytes. */
  readonly latency: Seconds;
  /** The plan with its time at the size that its number of bulks was chosen for; undefined if only the choice was asked for. */
  readonly bundle: PostedBundle | undefined;
}

/** Sizes for which one plan is used. */
export interface TunedRange {
  readonly from: Bytes;
  readonly to: Bytes;
  readonly plan: number;
  /** Minimum and maximum of bound / time at the tuned sizes; undefined if all times are 0. */
  readonly optimality: readonly [least: number, greatest: number] | undefined;
}

export interface TuningData {
  readonly topology: string;
  readonly ranks: number;
  readonly collective: CollectiveKind;
  /** The plans in use, in the order of their first range. */
  readonly plans: readonly TunedPlanData[];
  /** By ascending size, without gaps. */
  readonly ranges: readonly TunedRange[];
  readonly sizes: readonly (Omit<TunedSize, 'plan'> & { readonly plan: number })[];
  /** Times of all algorithms that were tried, one for each size. */
  readonly curves: TuneResult['curves'];
  readonly dismissed: TuneResult['dismissed'];
  readonly stoppedEarly: boolean;
  readonly tree: string | undefined;
  /** The choices of other libraries at each size, and their times; empty in a partial result. */
  readonly comparisons: readonly RuleComparison[];
}

/** Seed, element type and limits with which bundles of the plans in use are made; a request without them gets no bundles. */
export interface BundleWish {
  readonly seed: number;
  readonly dtype: Dtype;
  readonly limits: Limits;
}

export function tuningData(
  result: TuneResult,
  comparisons: readonly RuleComparison[],
  wish: BundleWish | undefined,
): TuningData {
  const { routes, plans, ranges, sizes, curves, dismissed, stoppedEarly, tree } = result;
  return {
    topology: routes.topology.name,
    ranks: routes.topology.chips.length,
    collective: plans[0].evaluated.checked.plan.collective.kind,
    plans: plans.map((plan) => planData(plan, wish)),
    ranges: ranges.map((range) => rangeData(range, result)),
    sizes: sizes.map(({ plan, ...rest }) => ({ ...rest, plan: plans.indexOf(plan) })),
    ...{ curves, dismissed, stoppedEarly, tree, comparisons },
  };
}

function planData(timed: TunedPlan, wish: BundleWish | undefined): TunedPlanData {
  const { evaluated, algorithm, bulks, protocol, instances } = timed;
  const { plan } = evaluated.checked;
  return {
    name: plan.name,
    algorithm,
    engine: evaluated.candidate.origin.engine,
    chunks: plan.collective.chunks,
    bulks,
    protocol,
    instances,
    steps: evaluated.schedule.steps.stepCount,
    latency: timed.secondsAt(0),
    bundle: wish === undefined ? undefined : posted(bundleOf(timed, wish)),
  };
}

function bundleOf({ evaluated, routes, tunedFor }: TunedPlan, { seed, dtype, limits }: BundleWish) {
  const { cost } = evaluated;
  const { topology } = routes;
  const { collective } = evaluated.checked.plan;
  const chosen = { plan: evaluated.checked.plan, topology, size: tunedFor, seconds: cost.seconds };
  const bound = consistentBound(lowerBound(collective, topology, tunedFor), chosen, {
    collective,
    size: tunedFor,
    dtype,
  });
  const request = { topology, size: tunedFor, dtype, limits };
  return provedBundle(evaluated, request, bound, originOf(evaluated, seed));
}

function rangeData({ from, to, plan }: SizeRange, { sizes, plans }: TuneResult): TunedRange {
  const within = sizes.filter(({ size }) => size >= from && size <= to && plan.secondsAt(size) > 0);
  const shares = within.map(({ size, bound }) => bound / plan.secondsAt(size));
  const optimality = shares.length === 0 ? undefined : ([Math.min(...shares), Math.max(...shares)] as const);
  return { from, to, plan: plans.indexOf(plan), optimality };
}
