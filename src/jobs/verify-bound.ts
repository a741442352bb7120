/** Checks the lower bound that a plan's document claims, from the topology alone. */
import { type CertificateVerdict, judgeCertificate } from '../certificates/index.ts';
import type { Collective } from '../ir/collective.ts';
import { ranksOf, type Topology } from '../ir/topology.ts';
import { type Bytes, formatSeconds } from '../ir/units.ts';
import type { Verification } from '../ir/verification.ts';
import { claimedMachine, type DocumentBlocks, isRecord, withFinding } from './claims.ts';

/**
 * Adds the verdict on the bound in a plan's document to its verification: a line among the proved properties, or a finding. A certificate that does
 * not prove its claim makes the file malformed, unless a more severe error was found.
 * @param topology the machine; default: the shipped one that the document names, if its digest is the same
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

/** A machine, and the function that determines what a certificate proves on it. */
interface Check {
  readonly machine: string;
  readonly judge: (certificate: unknown) => CertificateVerdict;
}

/**
 * The general form of `withBoundChecked`. @param checkFor the check for a message of a given size; undefined if the machine is unknown or another one
 */
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
