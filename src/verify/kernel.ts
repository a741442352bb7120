/** Who is believed: the kernel (src/kernel), on the plan as it is. Where the ladder says something else there is a bug in one of the two. */
import { CccError } from '../ir/diagnostic.ts';
import type { Plan } from '../ir/plan.ts';
import type { Verification } from '../ir/verification.ts';
import { checkPlan, type RuntimeConditions } from '../kernel/check.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { PlanTables } from '../kernel/tables.ts';
import type { MovedBytes } from './checks/limits.ts';
import { explained } from './explain/refusal.ts';
import { kernelTablesOf } from './kernel-tables.ts';
import type { VerifyOptions } from './verify.ts';

/** What the kernel is told beside the plan; its limit of transfers in flight is the one that the ladder assumed. */
export type KernelOptions = Pick<VerifyOptions, 'ownership' | 'unwritten' | 'slots' | 'load'>;

/** `bitwise`: all ranks combine each chunk with the same tree; undefined where nothing is reduced. */
type Answer =
  | { readonly ok: true; readonly bitwise: boolean | undefined }
  | { readonly ok: false; readonly verdict: string; readonly message: string };

/** @param load what the plan is for, where that is to be looked at */
export function queryKernel(plan: Plan, conditions: RuntimeConditions, load?: MovedBytes): Answer {
  const tables = { ...kernelTablesOf(plan), ...limitsFor(load) };
  try {
    return { ok: true, bitwise: checkPlan(tables, conditions) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ok: false, verdict: error.verdict, message: explained(error, tables) };
  }
}

/** The ladder and the kernel say different things of a plan: a bug in ccc. The plan is kept for a report. */
export class Disagreement extends Error {
  readonly plan: Plan;

  constructor(plan: Plan, { verdict, findings, inflight = Number.POSITIVE_INFINITY }: Verification, answer: Answer) {
    const kernel = answer.ok ? `correct (bitwise: ${answer.bitwise})` : answer.message;
    const ladder = findings.length === 0 ? verdict : `${verdict} (${findings[0].message})`;
    super(`with ${inflight} transfers in flight the ladder finds ${plan.name} ${ladder}, the kernel ${kernel}`);
    this.plan = plan;
  }
}

/** The verification of a plan that is correct, with who decided that. */
export function checkedBy(who: string, verification: Verification): Verification {
  const line = `proved by ${who}`;
  return { ...verification, checkedBy: who, proved: [...verification.proved.filter((known) => known !== line), line] };
}

/**
 * The ladder's verification with the kernel's word, which must be the same.
 * @throws Disagreement; CccError 'limit' for a plan that is too large for the kernel
 */
export function decided(plan: Plan, verification: Verification, options: KernelOptions): Verification {
  const { ownership, unwritten, slots, load } = options;
  const { verdict, inflight, determinism } = verification;
  const answer = queryKernel(plan, { inflight, ownership, unwritten, slots }, load);
  if (!answer.ok && answer.verdict === 'limit') {
    throw new CccError('limit', `${plan.name} is too large for the kernel to prove: ${answer.message}`);
  }
  // Bits that are asked for, rounds that a plan claims and some limits of machines come on top of what the kernel proves.
  const isBeyond = verdict === 'over-capacity' && (answer.ok || answer.verdict === verdict);
  const isRight = verdict === 'correct' || verdict === 'not-bitwise';
  const hasSameBits = !answer.ok || determinism?.identical === answer.bitwise;
  if ((!isBeyond && answer.ok !== isRight) || !hasSameBits) throw new Disagreement(plan, verification, answer);
  return answer.ok ? checkedBy('the kernel', verification) : verification;
}

/** What the kernel reads of a machine's limits (docs/plan-format.md). */
export function limitsFor(load: MovedBytes | undefined): Pick<PlanTables, 'size' | 'limits'> {
  const limits = load?.topology.messages;
  if (limits === undefined) return {};
  return { size: load?.size, limits: { alignment: limits.alignment, messageIds: limits.ids } };
}
