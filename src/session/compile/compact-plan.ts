/** Compact plans: one program that all ranks run, shifted, for machines whose chips all see the same links (docs/compact.md). */
import { type CompactCompileResult, compileCompact } from '../../compact/compile.ts';
import { simulateCompact } from '../../compact/cost/index.ts';
import { compactPlanText } from '../../compact/plan-json.ts';
import type { CompactCertificate } from '../../ir/certificate.ts';
import { CccError } from '../../ir/diagnostic.ts';
import { type CostReport, optimality } from '../../ir/report.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { type BytesLike, bytesOf, type CollectiveRequest } from '../collectives.ts';
import type { Machine } from '../machine/machine.ts';
import { platform } from '../platform.ts';
import { type CompileOptions, limitsOf } from './options.ts';
import { type PlanBound, planBound } from './plan-bound.ts';

/** A proved compact plan, with its simulated time and its bound. */
export class CompiledCompactPlan {
  readonly kind = 'compact';
  /** All that was found, for reports. */
  readonly result: CompactCompileResult;

  constructor(result: CompactCompileResult) {
    this.result = result;
  }

  get name(): string {
    return this.result.bundle.proved.plan.name;
  }

  /** M in bytes. */
  get size(): Bytes {
    return this.result.bundle.size ?? 0;
  }

  /** Simulated time in seconds. */
  get time(): Seconds {
    return this.result.bundle.cost.seconds;
  }

  /** The best lower bound on the time of any plan, with its certificate. */
  get bound(): PlanBound<CompactCertificate> {
    return planBound(this.result.bundle.bound);
  }

  /** bound / time: 1 for a plan that no plan can be faster than. */
  get optimality(): number {
    return optimality(this.bound.seconds, this.time);
  }

  /** How much longer the plan takes than the bound, as a share of the bound: 0.01 is 1 %. */
  get gap(): number {
    return this.optimality === 0 ? Number.POSITIVE_INFINITY : 1 / this.optimality - 1;
  }

  /** What was proved, one line for each check. */
  get proof(): readonly string[] {
    return this.result.bundle.proved.verification.proved;
  }

  /** The plan as JSON text (format `ccc-plan`). */
  get text(): string {
    return [...compactPlanText(this.result.bundle)].join('');
  }

  /** Simulated for a message of another size. */
  simulate({ size = this.size }: { readonly size?: BytesLike } = {}): CostReport {
    const { proved, topology } = this.result.bundle;
    if (topology === undefined) throw new CccError('unsupported', `${this.name} names no machine`);
    return simulateCompact(proved.plan, topology, bytesOf(size));
  }

  /** @throws CccError 'unsupported' for other formats than `json`: `ccc convert --expand` writes a full plan out */
  async emit(format = 'json'): Promise<string> {
    if (format === 'json') return this.text;
    throw new CccError(
      'unsupported',
      `compact plans are written as json, not as ${format}; ccc convert --expand makes a full plan`,
    );
  }

  /** Writes the plan to a file. */
  async write(path: string): Promise<void> {
    await platform().writeFile(path, compactPlanText(this.result.bundle));
  }
}

/** @throws CccError 'usage' for options that compact plans do not take, and as `compileCompact` */
export async function compactPlan(request: CollectiveRequest, options: CompileOptions): Promise<CompiledCompactPlan> {
  checkOptions(request, options);
  const { machine, collective, size, dtype } = request;
  const topology = await machine.symmetric();
  const { chunks, bulks = 'auto' } = options;
  const limits = limitsOf(options);
  return new CompiledCompactPlan(compileCompact({ collective, topology, size, dtype, chunks, bulks, limits }));
}

/** As `compactPlan`; undefined if there is no compact plan. */
export async function compactPlanIfAny(
  request: CollectiveRequest,
  options: CompileOptions,
): Promise<CompiledCompactPlan | undefined> {
  try {
    return await compactPlan(request, options);
  } catch (error) {
    if (error instanceof CccError) return undefined;
    throw error;
  }
}

function checkOptions(
  { machine, definition }: CollectiveRequest,
  { engine = 'auto', algorithm = definition, target = 'json', explain }: CompileOptions,
): void {
  if (machine.isPlaced) throw new CccError('usage', '--compact is for all chips of a machine: give it without --ranks');
  if (engine !== 'auto' && engine !== 'symmetric') {
    throw new CccError('usage', `compact plans come from the engine symmetric, not from ${engine}`);
  }
  if (algorithm !== undefined)
    throw new CccError('usage', '--compact chooses the algorithm: give it without --algorithm');
  if (target !== 'json')
    throw new CccError(
      'usage',
      `compact plans are written as json, not as ${target}; ccc convert --expand makes a full plan`,
    );
  if (explain === true) throw new CccError('usage', '--compact has one candidate, so there is nothing to --explain');
}

/** The error, with a hint at compact plans if the machine can have them. */
export async function withCompactHint(error: CccError, machine: Pick<Machine, 'symmetric'>): Promise<CccError> {
  try {
    await machine.symmetric();
  } catch (other) {
    if (other instanceof CccError) return error;
    throw other;
  }
  const message = `${error.message}; with --compact, one program is made for all ranks`;
  return new CccError('limit', message, error.range, error.findings);
}
