/**
 * What is proved of plans. The ladder finds and explains what is wrong, and its word is enough for plans that are only priced; the kernel
 * decides about plans that leave.
 */
import type { CompactPlan } from '../ir/compact.ts';
import type { Plan } from '../ir/plan.ts';
import type { CheckedPlan, ProvedPlan, Verification } from '../ir/verification.ts';
import { decided, type KernelOptions } from './kernel.ts';
import { verifyShifted } from './shifted.ts';
import { type VerifyOptions, verify } from './verify.ts';

export interface CheckOptions extends VerifyOptions {
  /** Where it is said that all ranks run one program, shifted: the extents of their coordinates. Nobody is believed; it only saves time. */
  readonly shape?: readonly number[] | undefined;
}

export interface Check {
  readonly verification: Verification;
  /** If it is correct. */
  readonly checked: CheckedPlan | undefined;
  /** What all ranks run, shifted, where that was seen. */
  readonly program?: CompactPlan | undefined;
}

export interface Proof {
  readonly verification: Verification;
  /** If it is correct. */
  readonly proved: ProvedPlan | undefined;
}

/** Climbs the ladder: what candidates need before they are priced. */
export function check(plan: Plan, options: CheckOptions = {}): Check {
  const { shape } = options;
  const quick = shape === undefined ? undefined : verifyShifted(plan, shape, options);
  const verification = quick?.verification ?? verify(plan, options);
  const checked = verification.verdict === 'correct' ? { plan, verification } : undefined;
  return { verification, checked, program: quick?.program };
}

/**
 * The verdict on a plan, by the kernel; what is wrong, and what a machine adds, in the words of the ladder.
 * @throws Disagreement; CccError 'limit' for a plan that is too large for either of them
 */
export function judge(plan: Plan, options: VerifyOptions = {}): Verification {
  const verification = verify(plan, options);
  // Routes and ranks of a machine are nothing that the kernel knows of.
  if (verification.verdict === 'malformed' && options.topology !== undefined) return verification;
  return decided(plan, verification, options);
}

/** Verifies a plan and, if it is correct, vouches for it. @throws as `judge` */
export function prove(plan: Plan, options: VerifyOptions = {}): Proof {
  const { verification, checked } = check(plan, options);
  if (checked === undefined) return { verification, proved: undefined };
  const proved = proveChecked(checked, options);
  return { verification: proved.verification, proved };
}

/** Has the kernel prove a plan that the ladder found correct: the only place that makes a `ProvedPlan`. @throws as `judge` */
export function proveChecked({ plan, verification }: CheckedPlan, options: KernelOptions = {}): ProvedPlan {
  const proved: CheckedPlan = { plan, verification: decided(plan, verification, options) };
  // The one cast that stands for the proof: the brand exists in the type alone, so that nobody else can write it down.
  return proved as ProvedPlan;
}
