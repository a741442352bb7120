import type { CompactPlan } from '../ir/compact.ts';
import type { Plan } from '../ir/plan.ts';
import type { CheckedPlan, ProvedPlan, Verification } from '../ir/verification.ts';
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

/** Verifies a plan and, if it is correct, vouches for it. */
export function prove(plan: Plan, options: VerifyOptions = {}): Proof {
  const { verification, checked } = check(plan, options);
  return { verification, proved: checked && proveChecked(checked) };
}

/** Vouches for a plan that was found correct: the only place that makes a `ProvedPlan`. */
export function proveChecked(checked: CheckedPlan): ProvedPlan {
  // The one cast that stands for the proof: the brand exists in the type alone, so that nobody else can write it down.
  return checked as ProvedPlan;
}
