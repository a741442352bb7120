/** Checks the lower bound that a plan's document states, from the topology alone. */
import { checkCompactCertificate } from '../cost/compact/index.ts';
import { checkCertificate } from '../cost/index.ts';
import { symmetricDigest, topologyDigest } from '../emit/topology-digest.ts';
import type { Collective } from '../ir/collective.ts';
import type { SymmetricTopology } from '../ir/compact.ts';
import type { Certificate } from '../ir/report.ts';
import { ranksOf, type Topology } from '../ir/topology.ts';
import { type Bytes, formatSeconds } from '../ir/units.ts';
import type { Finding, Verification } from '../ir/verification.ts';
import { isFilePath, listShipped, resolveTopology } from '../read/index.ts';
import { resolveSymmetricTopology } from '../read/topology/resolve.ts';

/** The blocks of a plan's document that are no part of the plan proper. */
type Blocks = Readonly<Record<string, unknown>>;

/**
 * The verification of a plan with what is to be said of the bound in its document: a line among what was proved, or a finding.
 * A certificate that does not prove what it claims makes the file malformed, if nothing worse was found.
 * @param topology the machine to check it on; default: the shipped one that the document names, if its digest is the same
 */
export function withBoundChecked(
  verification: Verification,
  collective: Collective,
  blocks: Blocks,
  topology: Topology | undefined,
): Verification {
  return withClaimChecked(verification, blocks, (size) => {
    const machine = machineOf(blocks.topology, topology);
    if (machine === undefined || ranksOf(machine) !== collective.ranks) return undefined;
    return {
      machine: machine.name,
      proves: (certificate) => checkCertificate(certificate, collective, machine, size),
    };
  });
}

/** The same for a compact plan, whose machine is not built. */
export function withCompactBoundChecked(
  verification: Verification,
  collective: Collective,
  blocks: Blocks,
  topology: SymmetricTopology | undefined,
): Verification {
  return withClaimChecked(verification, blocks, (size) => {
    const machine = symmetricMachineOf(blocks.topology, topology);
    if (machine === undefined) return undefined;
    return {
      machine: machine.name,
      proves: (certificate) => checkCompactCertificate(certificate, collective, machine, size),
    };
  });
}

/** A machine, and whether a certificate proves on it what it claims. */
interface Check {
  readonly machine: string;
  readonly proves: (certificate: Certificate) => boolean;
}

/** @param checkFor what to check the claim with, for a message of that size; undefined if the machine is another or is not known */
function withClaimChecked(
  verification: Verification,
  { bound, size }: Blocks,
  checkFor: (size: Bytes) => Check | undefined,
): Verification {
  if (verification.verdict !== 'correct' || !isRecord(bound) || bound.certificate === undefined) return verification;
  const { certificate, seconds } = bound;
  const check = typeof size === 'number' ? checkFor(size) : undefined;
  if (check === undefined) return verification;
  if (!isCertificate(certificate))
    return withFinding(verification, 'warning', 'the certificate of its bound cannot be read');
  const claimed = typeof seconds === 'number' ? Math.max(seconds, certificate.seconds) : certificate.seconds;
  const text = `that no plan takes less than ${formatSeconds(claimed)} on ${check.machine}`;
  if (check.proves({ ...certificate, seconds: claimed }))
    return { ...verification, proved: [...verification.proved, `bound: certified (${certificate.kind}) ${text}`] };
  const message = `the certificate of its bound (${certificate.kind}) does not prove ${text}`;
  return { ...withFinding(verification, 'error', message), verdict: 'malformed' };
}

function withFinding(verification: Verification, severity: Finding['severity'], message: string): Verification {
  const finding: Finding = { severity, code: 'malformed', message, story: [] };
  return { ...verification, findings: [...verification.findings, finding] };
}

/** The given machine if it is the one the document is about, or the shipped one. Files are not opened because a plan names them. */
function machineOf(block: unknown, given: Topology | undefined): Topology | undefined {
  if (!isRecord(block) || typeof block.name !== 'string') return given;
  const { name, digest } = block;
  const machine = given ?? shipped(name, resolveTopology);
  return machine !== undefined && (digest === undefined || topologyDigest(machine) === digest) ? machine : undefined;
}

/** Of a compact plan, the shipped machine is taken only with the right digest: names do not say how its numbers were changed. */
function symmetricMachineOf(block: unknown, given: SymmetricTopology | undefined): SymmetricTopology | undefined {
  if (!isRecord(block) || typeof block.name !== 'string') return given;
  const { name, digest } = block;
  if (digest === undefined) return given;
  const machine = given ?? shipped(name, resolveSymmetricTopology);
  return machine !== undefined && symmetricDigest(machine) === digest ? machine : undefined;
}

/** Undefined for names of no shipped topology, or with parts that are none (edits on the command line are shown in names). */
function shipped<Machine>(name: string, resolve: (name: string) => Machine): Machine | undefined {
  if (isFilePath(name) || !listShipped('topologies').includes(name.split(':')[0])) return undefined;
  try {
    return resolve(name);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const kinds: Readonly<Record<Certificate['kind'], true>> = {
  latency: true,
  spreading: true,
  bandwidth: true,
  compute: true,
  combined: true,
  trivial: true,
};

function isCertificate(value: unknown): value is Certificate {
  if (!isRecord(value) || typeof value.kind !== 'string' || !Object.hasOwn(kinds, value.kind)) return false;
  return typeof value.seconds === 'number' && isRecord(value.witness) && Object.values(value.witness).every(isWitness);
}

function isWitness(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'number');
  return typeof value === 'number' || typeof value === 'string';
}
