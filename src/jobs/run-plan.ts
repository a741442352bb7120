/** Runs a plan from its text: reads it, proves it (or skips the proof at the owner's request), and runs it. */

import type { ReductionOperator } from '../ir/collective.ts';
import { CccError, type SourceText } from '../ir/diagnostic.ts';
import { type Dtype, dtypeBytes, dtypes } from '../ir/dtype.ts';
import { expandCompact } from '../ir/expand.ts';
import type { Limits } from '../ir/limits.ts';
import type { Plan } from '../ir/plan.ts';
import { alignedMessage, checkWholeElements, messageBytes, wholeElements } from '../ir/shards.ts';
import { type Bytes, defaultMessageSize, formatBytes } from '../ir/units.ts';
import { firstError, sourceRangeOf, type Verification, verdictText } from '../ir/verification.ts';
import { readAnyPlan } from '../read/plan/index.ts';
import { type RunOptions, type RunResult, run, type UnverifiedPlan } from '../run/index.ts';
import { type ProvedPlan, prove } from '../verify/index.ts';

/**
 * Options. By default sizes, types and depth are those in the plan's document (rounded down to whole elements), else 64 MiB of f32 and channels of
 * any depth.
 */
export interface RunRequest extends Omit<RunOptions, 'size' | 'dtype' | 'op' | 'inflight' | 'alignment'> {
  readonly size?: Bytes | undefined;
  readonly dtype?: Dtype | undefined;
  readonly op?: ReductionOperator | undefined;
  readonly inflight?: number | undefined;
  /** Run a plan even if it does not verify, as long as it is well formed and its messages match. */
  readonly unverified: boolean;
  readonly limits: Limits;
}

export interface PlanRun {
  readonly plan: Plan;
  readonly dtype: Dtype;
  readonly inflight: number | undefined;
  readonly verification: Verification;
  /** M as requested or as in the plan, in bytes. The size that ran (`result.size`) may be rounded to whole elements or padded to whole units. */
  readonly wanted: Bytes;
  /** The unit of message addresses and lengths in bytes, if the document states one. */
  readonly alignment: Bytes | undefined;
  readonly result: RunResult;
}

/** A plan that may run, for one operator, element type and depth of channels. */
interface Runnable extends Omit<PlanRun, 'wanted' | 'result'> {
  readonly subject: ProvedPlan | UnverifiedPlan;
  /** The size that the document states, unchecked. */
  readonly recordedSize: unknown;
}

/**
 * Runs a plan in JSON, full or compact.
 * @throws CccError 'unproved' for a plan that does not verify; whatever reading and running throw
 */
export async function runPlanText(source: SourceText, request: RunRequest): Promise<PlanRun> {
  const runnable = runnablePlan(source, request);
  const { plan, dtype } = runnable;
  const wanted = sizeOf(plan, dtype, request.size, runnable.recordedSize);
  // A plan may have been timed for any number of bytes, whereas a requested size must be one that can run.
  return runOnce(runnable, request, wanted, request.size ?? wholeElements(wanted, dtype));
}

/**
 * Runs a plan for several sizes, each rounded down to whole elements. The plan is proved once.
 * @throws CccError as `runPlanText`, and 'usage' for a plan whose counts or token leave no choice of the size
 */
export async function* runPlanSizes(
  source: SourceText,
  request: RunRequest,
  sizes: readonly Bytes[],
): AsyncGenerator<PlanRun> {
  const runnable = runnablePlan(source, request);
  const { plan, dtype } = runnable;
  if (plan.collective.kind === 'barrier' || plan.collective.counts !== undefined) {
    throw new CccError('usage', `${plan.name} has a size of its own: leave --sizes out`);
  }
  for (const size of new Set(sizes.map((each) => Math.max(dtypeBytes[dtype], wholeElements(each, dtype))))) {
    yield runOnce(runnable, request, size, size);
  }
}

function runnablePlan(source: SourceText, request: RunRequest): Runnable {
  const { plan: written, extra } = readFullPlan(source, request.limits);
  const { op = written.collective.op } = request;
  // The proof must be for the operator of the run: a plan for max may use a contribution twice.
  const plan: Plan = { ...written, collective: { ...written.collective, op } };
  const inflight = request.inflight ?? recordedInflight(extra);
  const { verification, proved } = prove(plan, { inflight, slots: request.limits.slots });
  const subject = proved ?? unproved(plan, verification, request.unverified);
  const dtype = request.dtype ?? dtypes.find((name) => name === extra.dtype) ?? 'f32';
  return {
    plan,
    dtype,
    inflight,
    verification,
    subject,
    recordedSize: extra.size,
    alignment: recordedAlignment(extra),
  };
}

async function runOnce(runnable: Runnable, request: RunRequest, wanted: Bytes, size: Bytes): Promise<PlanRun> {
  const { plan, dtype, inflight, verification, subject, alignment } = runnable;
  checkWholeElements(size, dtype);
  const padded = alignment === undefined ? size : alignedMessage(plan, size, alignment).size;
  const result = await run(subject, { ...request, size: padded, dtype, op: plan.collective.op, inflight, alignment });
  return { plan, dtype, inflight, verification, wanted, alignment, result };
}

function readFullPlan(
  source: SourceText,
  limits: Limits,
): { readonly plan: Plan; readonly extra: Readonly<Record<string, unknown>> } {
  if (!/^\s*\{/.test(source.text)) {
    throw new CccError('usage', `${source.name} is no plan in JSON: ccc convert makes one of schedules and algorithms`);
  }
  const document = readAnyPlan(source, { limits });
  if ('plan' in document) return document;
  const { compact, extra } = document;
  const operations = compact.ops.kind.length * compact.collective.ranks;
  if (operations > limits.operations) {
    const message = `written out, the plan has ${operations} operations, more than the limit operations = ${limits.operations}`;
    throw new CccError('limit', message);
  }
  return { plan: expandCompact(compact), extra };
}

/** The depth of channels for which the plan was proved, if its document states it. */
function recordedInflight({ verification }: Readonly<Record<string, unknown>>): number | undefined {
  if (typeof verification !== 'object' || verification === null || !('inflight' in verification)) return undefined;
  const { inflight } = verification;
  return typeof inflight === 'number' && Number.isSafeInteger(inflight) && inflight >= 0 ? inflight : undefined;
}

/** The unit of addresses and lengths in bytes, if the document states it. */
function recordedAlignment({ limits }: Readonly<Record<string, unknown>>): Bytes | undefined {
  if (typeof limits !== 'object' || limits === null || !('alignment' in limits)) return undefined;
  const { alignment } = limits;
  return typeof alignment === 'number' && Number.isSafeInteger(alignment) && alignment > 0 ? alignment : undefined;
}

function unproved(plan: Plan, verification: Verification, isWanted: boolean): ProvedPlan | UnverifiedPlan {
  const { verdict, findings } = verification;
  const range = sourceRangeOf(firstError(findings));
  const found = verdictText(verification);
  if (verdict === 'malformed' || verdict === 'mismatched') {
    throw new CccError('unproved', `the plan cannot be run, ${found}`, range);
  }
  if (!isWanted)
    throw new CccError('unproved', `the plan does not verify (--unverified runs it all the same), ${found}`, range);
  return { plan, unverified: true };
}

function sizeOf({ collective }: Plan, dtype: Dtype, wanted: Bytes | undefined, recorded: unknown): Bytes {
  const { kind, ranks, counts } = collective;
  // A token is one element, whatever size the plan was made for.
  if (kind === 'barrier') return wanted ?? dtypeBytes[dtype];
  if (counts === undefined) return wanted ?? (typeof recorded === 'number' ? recorded : defaultMessageSize);
  const size = messageBytes(kind, ranks, counts);
  if (wanted !== undefined && wanted !== size) {
    throw new CccError(
      'usage',
      `the plan has counts, which come to ${formatBytes(size)} (${size} bytes): leave --size out`,
    );
  }
  return size;
}
