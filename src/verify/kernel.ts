/**
 * Queries the kernel (src/kernel), whose verdict counts, about a plan, and compares its answer with the verifier's. The two share no code, so a
 * difference is a bug in one of them.
 */
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

/** How reports name the kernel. The command `ccc-check` runs it alone. */
export const kernelName = 'the kernel (ccc-check)';

/** The conditions of the kernel's check, except the limit of transfers in flight, which is the verifier's. */
export type KernelOptions = Pick<VerifyOptions, 'ownership' | 'unwritten' | 'slots' | 'load'>;

/** `bitwise`: all ranks combine each chunk with the same tree; undefined where nothing is reduced. */
type Answer =
  | { readonly ok: true; readonly bitwise: boolean | undefined }
  | { readonly ok: false; readonly verdict: string; readonly message: string };

/**
 * Returns the kernel's answer, with refusals explained. @param load the message that the plan will move, if the machine's limits are to be checked
 */
export function queryKernel(plan: Plan, conditions: RuntimeConditions, load?: MovedBytes): Answer {
  const tables = { ...kernelTablesOf(plan), ...limitsFor(load) };
  try {
    return { ok: true, bitwise: checkPlan(tables, conditions) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ok: false, verdict: error.verdict, message: explained(error, tables) };
  }
}

/** The verifier and the kernel give different verdicts on a plan: a bug in ccc. The error keeps the plan, so that it can be reported. */
export class Disagreement extends Error {
  readonly plan: Plan;

  constructor(plan: Plan, { verdict, findings, inflight = Number.POSITIVE_INFINITY }: Verification, answer: Answer) {
    const kernel = answer.ok ? `correct (bitwise: ${answer.bitwise})` : answer.message;
    const verifier = findings.length === 0 ? verdict : `${verdict} (${findings[0].message})`;
    super(`with ${inflight} transfers in flight the verifier finds ${plan.name} ${verifier}, the kernel ${kernel}`);
    this.plan = plan;
  }
}

/** Adds to the verification of a correct plan which checker has decided that it is correct. @param who such as `the kernel (ccc-check)` */
export function checkedBy(who: string, verification: Verification): Verification {
  const line = `checked by ${who}`;
  return { ...verification, checkedBy: who, proved: [...verification.proved.filter((known) => known !== line), line] };
}

/**
 * The verifier's verification, confirmed by the kernel.
 * @throws Disagreement; CccError 'limit' for a plan that is too large for the kernel
 */
export function decided(plan: Plan, verification: Verification, options: KernelOptions): Verification {
  const { ownership, unwritten, slots, load } = options;
  const { verdict, inflight, determinism } = verification;
  const answer = queryKernel(plan, { inflight, ownership, unwritten, slots }, load);
  if (!answer.ok && answer.verdict === 'limit') {
    throw new CccError('limit', `${plan.name} is too large for the kernel to check: ${answer.message}`);
  }
  // The kernel does not check requests for identical bits, claimed rounds and some limits of machines; on these the verifier decides alone.
  const isBeyond = verdict === 'over-capacity' && (answer.ok || answer.verdict === verdict);
  const isRight = verdict === 'correct' || verdict === 'not-bitwise';
  const hasSameBits = !answer.ok || determinism?.identical === answer.bitwise;
  if ((!isBeyond && answer.ok !== isRight) || !hasSameBits) throw new Disagreement(plan, verification, answer);
  return answer.ok ? checkedBy(kernelName, verification) : verification;
}

/** The machine's limits that the kernel checks (docs/plan-format.md). */
export function limitsFor(load: MovedBytes | undefined): Pick<PlanTables, 'size' | 'limits'> {
  const limits = load?.topology.messages;
  if (limits === undefined) return {};
  return { size: load?.size, limits: { alignment: limits.alignment, messageIds: limits.ids } };
}
