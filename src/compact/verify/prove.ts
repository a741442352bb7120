/** Proofs of compact plans: the twin of `src/verify/prove.ts`, which gives the reasons. Nothing here makes one unless `verifyCompact` says "correct". */
import type { CompactPlan } from '../../ir/compact.ts';
import type { Verification } from '../../ir/verification.ts';
import { forged } from '../../verify/prove.ts';
import { deepFrozen, plainCopy, type Seal, sealOf } from '../../verify/seal.ts';
import { type CompactVerifyOptions, verifyCompact } from './verify.ts';

/** What may be written of a proved compact plan: the plan as it was verified, in a copy that nobody else has. */
export interface OpenedCompactProof {
  readonly plan: CompactPlan;
  readonly verification: Verification;
}

/** Only code of this file has it: without it the constructor of `ProvedCompactPlan` throws. */
const permission = Symbol('the plan has been verified');

let vouchFor: (plan: CompactPlan, seal: Seal, verification: Verification) => ProvedCompactPlan;

/** A compact plan that has been verified. `plan` is for reading; what is written comes from `ProvedCompactPlan.open`. */
export class ProvedCompactPlan {
  readonly #plan: CompactPlan;
  readonly #seal: Seal;
  readonly #verification: Verification;

  static {
    vouchFor = (plan, seal, verification) => new ProvedCompactPlan(permission, plan, seal, verification);
    Object.freeze(ProvedCompactPlan.prototype);
  }

  private constructor(given: symbol, plan: CompactPlan, seal: Seal, verification: Verification) {
    if (given !== permission) throw forged('only the verifier makes a proof');
    this.#plan = plan;
    this.#seal = seal;
    this.#verification = verification;
    Object.freeze(this);
  }

  get plan(): CompactPlan {
    return this.#plan;
  }

  /** What was shown of the plan; it cannot be changed. */
  get verification(): Verification {
    return this.#verification;
  }

  /** @throws CccError 'unproved' for anything that the verifier has not made, and for a plan that was changed since it was verified */
  static open(this: void, proved: ProvedCompactPlan): OpenedCompactProof {
    if (!(#plan in proved)) throw forged('it was put together by hand or copied from a proof, which loses the proof');
    const plan = plainCopy(proved.#plan);
    if (sealOf(plan) !== proved.#seal) throw forged('the plan was changed after it had been verified');
    return { plan, verification: proved.#verification };
  }
}
Object.freeze(ProvedCompactPlan);

/** Verifies a compact plan and, if it is correct, vouches for a copy of it. @throws as `verifyCompact` */
export function proveCompact(
  given: CompactPlan,
  options: CompactVerifyOptions = {},
): { readonly verification: Verification; readonly proved: ProvedCompactPlan | undefined } {
  const plan = plainCopy(given);
  const verification = verifyCompact(plan, options);
  if (verification.verdict !== 'correct') return { verification, proved: undefined };
  return { verification, proved: vouchFor(plan, sealOf(plan), deepFrozen(plainCopy(verification))) };
}
