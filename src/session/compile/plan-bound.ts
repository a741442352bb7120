/** The lower bound that accompanies a plan. */
import type { Certificate, Claim } from '../../ir/certificate.ts';
import type { Bound } from '../../ir/report.ts';

/** A lower bound on the time of any plan, with its proofs. `checkCertificate` checks a certificate from the topology alone. */
export interface PlanBound<Proof extends Claim = Certificate> extends Bound<Proof> {
  /** The certificate that gives the best bound. */
  readonly certificate: Proof | undefined;
}

export function planBound<Proof extends Claim>(bound: Bound<Proof>): PlanBound<Proof> {
  return { ...bound, certificate: bound.certificates[0] };
}
