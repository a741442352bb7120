/** The work of `ccc tune`: from its options to the tuned plans and their files. */
import { lowerBound } from '../cost/index.ts';
import type { PlanBundle } from '../emit/index.ts';
import type { Collective } from '../ir/collective.ts';
import type { Dtype } from '../ir/dtype.ts';
import type { Limits } from '../ir/limits.ts';
import type { Topology } from '../ir/topology.ts';
import type { Bytes } from '../ir/units.ts';
import type { TimedPlan } from '../tune/plans.ts';
import { sizeSeries } from '../tune/ranges.ts';
import { type TuneRequest, type TuneResult, tuneSizes } from '../tune/tune.ts';
import type { CollectiveOptions, TopologyOptions } from './options.ts';

export interface TuneOptions extends TopologyOptions, CollectiveOptions {
  readonly sizes: readonly [Bytes, Bytes];
  readonly points: number;
  /** In percent. */
  readonly tolerance: number;
  readonly engine: string;
  readonly seed: number;
  readonly dtype: Dtype;
  /** In milliseconds. */
  readonly timeLimit?: number;
  readonly output?: string;
  readonly rules?: string;
  readonly csv?: string;
  readonly ranks?: string;
  readonly json?: boolean;
}

/** What was asked and what was found. */
export interface TuneJob {
  readonly request: TuneRequest;
  readonly result: TuneResult;
}

/** Tunes one topology. `shouldStop` ends the search with the best so far. */
export function tuneJob(
  collective: Collective,
  topology: Topology,
  limits: Limits,
  options: TuneOptions,
  shouldStop: (() => boolean) | undefined,
): TuneJob {
  const request: TuneRequest = {
    collective,
    topology,
    sizes: sizeSeries(...options.sizes, options.points),
    tolerance: options.tolerance / 100,
    bulks: 'auto',
    engine: options.engine,
    parameters: options.set ?? {},
    seed: options.seed,
    limits,
    shouldStop,
  };
  return { request, result: tuneSizes(request) };
}

/** A plan in use and the file that it goes to. */
export interface PlanFile {
  readonly file: string;
  readonly plan: TimedPlan;
  readonly bundle: PlanBundle;
}

/** The plans in use, each with the price at the size that its depth was chosen for. */
export function planFiles(result: TuneResult, dtype: Dtype, seed: number): readonly PlanFile[] {
  const { topology } = result.routes;
  const names = new Set<string>();
  return result.plans.map((plan): PlanFile => {
    const { proved, candidate, cost } = plan.priced;
    const { collective, name } = proved.plan;
    const bulks = plan.bulks === 1 ? '' : `-${plan.bulks}-bulks`;
    let file = `${name}${bulks}.json`;
    for (let copy = 2; names.has(file); copy++) file = `${name}${bulks}-${copy}.json`;
    names.add(file);
    const size = plan.tunedFor;
    const bound = lowerBound(collective, topology, size);
    const origin = { ...candidate.origin, chunks: collective.chunks, seed };
    return { file, plan, bundle: { proved, topology, size, dtype, cost, bound, origin } };
  });
}
