/** Turns the check of an untrusted certificate into a verdict; shared by the checkers of full and of compact certificates. */
import { rounding, type Seconds } from '../ir/units.ts';
import { claimFrom, Unreadable, type WitnessFields } from './fields.ts';
import { TooMuchWork } from './work.ts';

/**
 * `refused`: the certificate does not prove its claim, or is malformed. `unknown`: it has no kind that the checker knows. `too much work`: the check
 * would exceed its work limit.
 */
export type CertificateVerdict = 'certified' | 'refused' | 'unknown' | 'too much work';

/**
 * Judges a certificate, which may be any JSON value.
 * @param kinds a record whose keys are the known kinds
 * @param proves returns whether the fields of the witness prove that no correct plan takes less than `claimed` seconds; `claimed` is already lowered
 * by the rounding tolerance
 */
export function judgeWitness<Kind extends string>(
  certificate: unknown,
  kinds: Readonly<Record<Kind, unknown>>,
  proves: (kind: Kind, claimed: Seconds, fields: WitnessFields) => boolean,
): CertificateVerdict {
  const isKind = (kind: string): kind is Kind => Object.hasOwn(kinds, kind);
  try {
    const claim = claimFrom(certificate, isKind);
    if (claim === undefined) return 'unknown';
    return proves(claim.kind, claim.seconds * (1 - rounding), claim.fields) ? 'certified' : 'refused';
  } catch (error) {
    if (error instanceof Unreadable) return 'refused';
    if (error instanceof TooMuchWork) return 'too much work';
    throw error;
  }
}
