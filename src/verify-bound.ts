/** Checks the lower bound that a plan's document states, from the topology alone. */
import { checkCertificate } from './cost/index.ts';
import { topologyDigest } from './emit/index.ts';
import type { Collective } from './ir/collective.ts';
import type { Certificate } from './ir/report.ts';
import { ranksOf, type Topology } from './ir/topology.ts';
import { formatSeconds } from './ir/units.ts';
import type { Finding, Verification } from './ir/verification.ts';
import { isFilePath, listShipped, resolveTopology } from './read/index.ts';

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
  const bound = blocks.bound;
  if (verification.verdict !== 'correct' || !isRecord(bound) || bound.certificate === undefined) return verification;
  const { certificate, seconds } = bound;
  const machine = machineOf(blocks.topology, topology);
  if (machine === undefined || ranksOf(machine) !== collective.ranks || typeof blocks.size !== 'number')
    return verification;
  if (!isCertificate(certificate))
    return withFinding(verification, 'warning', 'the certificate of its bound cannot be read');
  const claimed = typeof seconds === 'number' ? Math.max(seconds, certificate.seconds) : certificate.seconds;
  const valid = checkCertificate({ ...certificate, seconds: claimed }, collective, machine, blocks.size);
  const text = `that no plan takes less than ${formatSeconds(claimed)} on ${machine.name}`;
  if (valid)
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
  const isShipped = !isFilePath(name) && listShipped('topologies').includes(name.split(':')[0]);
  const machine = given ?? (isShipped ? shipped(name) : undefined);
  return machine !== undefined && (digest === undefined || topologyDigest(machine) === digest) ? machine : undefined;
}

/** Undefined where the name has parts that are no topology's (edits on the command line are shown in names). */
function shipped(name: string): Topology | undefined {
  try {
    return resolveTopology(name);
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
