/** Files as proved plans. */
import type { PlanBundle } from '../emit/index.ts';
import type { SourceText } from '../ir/diagnostic.ts';
import { defaultLimits, type Limits } from '../ir/limits.ts';
import { type ConvertRequest, convert } from '../jobs/convert.ts';
import { withCost } from '../jobs/timing-target.ts';
import { BundledPlan } from './bundled-plan.ts';
import { type BytesLike, bytesOf } from './collectives.ts';
import type { Machine } from './machine/machine.ts';
import { sourceOf } from './source.ts';

/** How a file is read as a plan; the defaults are those of `ccc convert`. */
export interface LoadPlanOptions extends Partial<Omit<ConvertRequest, 'topology' | 'limits' | 'size'>> {
  /** The machine that the plan is for; default: the shipped one that the plan names. A schedule is made for its number of ranks. */
  readonly machine?: Machine | undefined;
  readonly size?: BytesLike | undefined;
  readonly limits?: Partial<Limits> | undefined;
}

/** A plan that was read and proved. */
export class LoadedPlan extends BundledPlan {
  override readonly bundle: PlanBundle;
  /** What is unusual about the file without being wrong. */
  readonly notes: readonly string[];

  constructor(bundle: PlanBundle, notes: readonly string[]) {
    super();
    this.bundle = bundle;
    this.notes = notes;
  }
}

/**
 * Reads and proves a plan (JSON, also a compact one with `expand`), a schedule (YAML; `ranks` or `machine` says for how many), an MSCCL (XML) or SCCL
 * (JSON) algorithm. Shipped schedules go by their names.
 *
 * ```ts
 * const plan = await loadPlan('plan.json');
 * console.log(plan.simulate({ size: '1GiB' }).seconds);
 * ```
 * @throws CccError 'unproved' with what is wrong, 'file', and those of the reader of the format
 */
export async function loadPlan(path: string, options: LoadPlanOptions = {}): Promise<LoadedPlan> {
  return parsePlan(await sourceOf(path, { ...defaultLimits, ...options.limits }), options);
}

/** As `loadPlan`, from a text. @throws CccError as `loadPlan`, without 'file' */
export async function parsePlan(source: SourceText, options: LoadPlanOptions = {}): Promise<LoadedPlan> {
  const { machine, size, limits: raised, ...request } = options;
  const limits = { ...defaultLimits, ...raised };
  const defaults = { root: 0, op: 'sum', ordered: false, inPlace: false, parameters: {} } as const;
  const wanted = { topology: machine?.single, size: size === undefined ? undefined : bytesOf(size), limits };
  const { bundle, notes } = await convert(source, { ...defaults, ...request, ...wanted });
  return new LoadedPlan(withCost(bundle, limits.operations), notes);
}
