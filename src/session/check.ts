/** The kernel alone: whether a plan is correct, decided by the small checker that trusts nothing else (docs/verification.md). */
import { checkPlan } from '../kernel/check.ts';
import { readPlanFile } from '../kernel/read.ts';
import { Refusal } from '../kernel/refusal.ts';

/** For what a plan is checked. */
export interface CheckOptions {
  /** Transfers that a connection buffers, 0 for rendezvous; `unbounded` for any number. Default: what the plan says, else any number. */
  readonly inflight?: number | 'unbounded' | undefined;
  /** `strict`: buffers belong to an operation from posting to completion, as in MPI; default `event`. */
  readonly ownership?: 'event' | 'strict' | undefined;
}

export type CheckVerdict =
  /** Correct. `sameBits`: whether all ranks combine each chunk in the same order; undefined where nothing is reduced. */
  | { readonly ok: true; readonly sameBits: boolean | undefined }
  /** Not correct, with the rule that the plan breaks and why. */
  | { readonly ok: false; readonly verdict: string; readonly message: string };

/**
 * Has the kernel check a plan (format `ccc-plan`), as `ccc-check` does. It believes nothing that the text says of proofs.
 *
 * ```ts
 * const verdict = check(await readFile('plan.json', 'utf8'));
 * if (!verdict.ok) console.log(verdict.verdict, verdict.message);
 * ```
 */
export function check(text: string, { inflight: wanted, ownership }: CheckOptions = {}): CheckVerdict {
  try {
    const plan = readPlanFile(JSON.parse(text));
    const inflight = wanted === 'unbounded' ? undefined : (wanted ?? plan.inflight);
    return { ok: true, sameBits: checkPlan(plan, { inflight, ownership }) };
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false, verdict: 'malformed', message: 'not JSON' };
    if (error instanceof Refusal) return { ok: false, verdict: error.verdict, message: error.message };
    throw error;
  }
}
