/**
 * Proofs of compact plans. `src/verify/prove.ts` does the same for full plans and gives the reasons for this design. A proof is made only if
 * `verifyCompact` accepts the plan.
 */
import type { CompactPlan } from '../../ir/compact.ts';
import type { Verification } from '../../ir/verification.ts';
import { forged } from '../../verify/prove.ts';
import { deepFrozen, plainCopy, type Seal, sealOf } from '../../verify/seal.ts';
import { type CompactVerifyOptions, verifyCompact } from './verify.ts';

/** What emitters get of a proved compact plan: a private copy of the plan, equal to the one that was verified. */
export interface OpenedCompactProof {
  readonly plan: CompactPlan;
  readonly verification: Verification;
}

/** Only this file has the symbol, and the constructor of `ProvedCompactPlan` throws without it. */
const permission = Symbol('the plan has been verified');

let vouchFor: (plan: CompactPlan, seal: Seal, verification: Verification) => ProvedCompactPlan;

/** A compact plan that has been verified. `plan` is for reading; emitters write the copy that `ProvedCompactPlan.open` returns. */
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

  /**
   * Returns what may be written. @throws CccError 'unproved' for an object that the verifier has not made, and for a plan that was changed since it
   * was verified
   */
  static open(this: void, proved: ProvedCompactPlan): OpenedCompactProof {
    if (!(#plan in proved)) throw forged('it was put together by hand or copied from a proof, which loses the proof');
    const plan = plainCopy(proved.#plan);
    if (sealOf(plan) !== proved.#seal) throw forged('the plan was changed after it had been verified');
    return { plan, verification: proved.#verification };
  }
}
Object.freeze(ProvedCompactPlan);

/** Verifies a compact plan. If it is correct, the result contains a proof for a copy of it. @throws as `verifyCompact` */
export function proveCompact(
  given: CompactPlan,
  options: CompactVerifyOptions = {},
): { readonly verification: Verification; readonly proved: ProvedCompactPlan | undefined } {
  const plan = plainCopy(given);
  const verification = verifyCompact(plan, options);
  if (verification.verdict !== 'correct') return { verification, proved: undefined };
  return { verification, proved: vouchFor(plan, sealOf(plan), deepFrozen(plainCopy(verification))) };
}
