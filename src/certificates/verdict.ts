/** What a check of a certificate comes to, whatever its kinds are. */
import { rounding, type Seconds } from '../ir/units.ts';
import { claimFrom, Unreadable, type WitnessFields } from './fields.ts';
import { TooMuchWork } from './work.ts';

/** `refused` if it does not prove its claim, `unknown` if its kind is none that there is. */
export type CertificateVerdict = 'certified' | 'refused' | 'unknown' | 'too much work';

/**
 * @param kinds by kind, whatever belongs to it
 * @param proves whether nothing takes less than what is claimed, from the fields of the witness
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
