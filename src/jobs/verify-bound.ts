/** Checks the lower bound that a plan's document states, from the topology alone. */
import { type CertificateVerdict, judgeCertificate } from '../certificates/index.ts';
import type { Collective } from '../ir/collective.ts';
import { ranksOf, type Topology } from '../ir/topology.ts';
import { type Bytes, formatSeconds } from '../ir/units.ts';
import type { Verification } from '../ir/verification.ts';
import { claimedMachine, type DocumentBlocks, isRecord, withFinding } from './claims.ts';

/**
 * The verification of a plan with what is to be said of the bound in its document: a line among what was proved, or a finding.
 * A certificate that does not prove what it claims makes the file malformed, if nothing worse was found.
 * @param topology the machine to check it on; default: the shipped one that the document names, if its digest is the same
 */
export function withBoundChecked(
  verification: Verification,
  collective: Collective,
  blocks: DocumentBlocks,
  topology: Topology | undefined,
): Verification {
  return withClaimChecked(verification, blocks, (size) => {
    const machine = claimedMachine(blocks.topology, topology);
    if (machine === undefined || ranksOf(machine) !== collective.ranks) return undefined;
    return {
      machine: machine.name,
      judge: (certificate) => judgeCertificate(certificate, collective, machine, size),
    };
  });
}

/** A machine, and what a certificate proves on it. */
interface Check {
  readonly machine: string;
  readonly judge: (certificate: unknown) => CertificateVerdict;
}

/** As `withBoundChecked`. @param checkFor what to check the claim with, for a message of that size; undefined if the machine is another or is not known */
export function withClaimChecked(
  verification: Verification,
  { bound, size }: DocumentBlocks,
  checkFor: (size: Bytes) => Check | undefined,
): Verification {
  if (verification.verdict !== 'correct' || !isRecord(bound) || bound.certificate === undefined) return verification;
  const { certificate, seconds } = bound;
  const check = typeof size === 'number' ? checkFor(size) : undefined;
  if (check === undefined) return verification;
  if (!isRecord(certificate) || typeof certificate.seconds !== 'number' || !isRecord(certificate.witness))
    return withFinding(verification, 'warning', 'the certificate of its bound cannot be read');
  const claimed = typeof seconds === 'number' ? Math.max(seconds, certificate.seconds) : certificate.seconds;
  const { kind } = certificate;
  const text = `that no plan takes less than ${formatSeconds(claimed)} on ${check.machine}`;
  switch (check.judge({ ...certificate, seconds: claimed })) {
    case 'certified':
      return { ...verification, proved: [...verification.proved, `bound: certified (${kind}) ${text}`] };
    case 'unknown':
      return withFinding(
        verification,
        'warning',
        `the certificate of its bound is of no kind that can be checked: it is not known ${text}`,
      );
    case 'too much work':
      return withFinding(
        verification,
        'warning',
        `the certificate of its bound (${kind}) takes too much work to check: it is not known ${text}`,
      );
    case 'refused': {
      const message = `the certificate of its bound (${kind}) does not prove ${text}`;
      return { ...withFinding(verification, 'error', message), verdict: 'malformed' };
    }
  }
}
