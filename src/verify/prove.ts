import type { CompactPlan } from '../ir/compact.ts';
import type { Plan } from '../ir/plan.ts';
import type { ProvedPlan, Verification } from '../ir/verification.ts';
import { verifyShifted } from './shifted.ts';
import { type VerifyOptions, verify } from './verify.ts';

export interface ProveOptions extends VerifyOptions {
  /** Where it is said that all ranks run one program, shifted: the extents of their coordinates. Nobody is believed; it only saves time. */
  readonly shape?: readonly number[] | undefined;
}

export interface Proof {
  readonly verification: Verification;
  /** If it is correct. */
  readonly proved: ProvedPlan | undefined;
  /** What all ranks run, shifted, where that was seen. */
  readonly program?: CompactPlan | undefined;
}

/** Verifies a plan and, if it is correct, vouches for it: the only place that makes a `ProvedPlan`. */
export function prove(plan: Plan, options: ProveOptions = {}): Proof {
  const { shape } = options;
  const quick = shape === undefined ? undefined : verifyShifted(plan, shape, options);
  const verification = quick?.verification ?? verify(plan, options);
  if (verification.verdict !== 'correct') return { verification, proved: undefined };
  // The one cast that stands for the proof: the brand exists in the type alone, so that nobody else can write it down.
  return { verification, proved: { plan, verification } as ProvedPlan, program: quick?.program };
}
