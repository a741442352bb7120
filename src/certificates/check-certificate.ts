/**
 * Checks certificates of lower bounds against nothing but the machine and the collective's post-condition. The checker shares no code with the search
 * that found the certificates, and computes each number in the plainest way: shortest paths by Bellman and Ford, bytes by visiting the post-condition
 * slot by slot. Each theorem is stated at the top of the file with its check.
 */
import type { CertificateKind } from '../ir/certificate.ts';
import type { Collective } from '../ir/collective.ts';
import { ranksOf, type Topology } from '../ir/topology.ts';
import type { Bytes, Seconds } from '../ir/units.ts';
import { provesCopiedFirst } from './copied-first.ts';
import { provedByCut } from './cut.ts';
import { provedByDistances } from './distances.ts';
import { provedByFamilies } from './families.ts';
import type { WitnessFields } from './fields.ts';
import { provedAtFirstHand } from './first-hand.ts';
import { provedByGathering } from './gathering.ts';
import { provesHandingOn } from './handing-on.ts';
import { provedByLatency } from './latency.ts';
import { provedByMessages } from './messages.ts';
import { provedByOverheads } from './overheads.ts';
import { provesPassing } from './passing.ts';
import { type Question, questionOf } from './question.ts';
import { provedByReductions } from './reductions.ts';
import { provesRelay } from './relay.ts';
import { provedByRoutes } from './routes.ts';
import { provedByRow } from './row.ts';
import { provedBySpans } from './spans.ts';
import { provedBySpreading } from './spreading.ts';
import { provedByStaging } from './staging.ts';
import { provesStoppedLinks } from './stopped-links.ts';
import { provedByStraight } from './straight.ts';
import { provedByStretches } from './stretches.ts';
import { type CertificateVerdict, judgeWitness } from './verdict.ts';
import { witnesses } from './witnesses.ts';

/**
 * Judges whether a certificate, which may be any JSON value, proves that no correct plan takes less than its `seconds`.
 * @param size M, in bytes
 */
export function judgeCertificate(
  certificate: unknown,
  asked: Collective,
  topology: Topology,
  size: Bytes,
): CertificateVerdict {
  const isAsked = ranksOf(topology) === asked.ranks && Number.isFinite(size) && size >= 0;
  return judgeWitness(certificate, witnesses, (kind, claimed, fields) => {
    if (!isAsked || (asked.ranks < 2 && kind !== 'trivial')) return false;
    // Theorems bound the time after the launch. The launch comes before all operations of any plan, so it adds to each bound.
    const { launch = 0 } = topology;
    const beyond = launch > 0 ? Math.max(0, claimed - launch) : claimed;
    return proves(kind, beyond, fields, questionOf(asked, topology, size));
  });
}

/** True if the certificate proves that no correct plan takes less than its `seconds`. */
export function checkCertificate(
  certificate: unknown,
  collective: Collective,
  topology: Topology,
  size: Bytes,
): boolean {
  return judgeCertificate(certificate, collective, topology, size) === 'certified';
}

/** @param claimed the certificate's seconds, less the rounding tolerance and the launch */
function proves(kind: CertificateKind, claimed: Seconds, fields: WitnessFields, question: Question): boolean {
  const { topology } = question.machine;
  const atLeast = (proved: Seconds) => Number.isFinite(proved) && claimed <= proved;
  switch (kind) {
    case 'trivial':
      return claimed === 0;
    case 'latency':
      return atLeast(provedByLatency(witnesses.latency(fields, topology), question));
    case 'overheads':
      return atLeast(provedByOverheads(witnesses.overheads(fields, topology), question));
    case 'spreading':
      return atLeast(provedBySpreading(witnesses.spreading(fields, topology), question));
    case 'families':
      return atLeast(provedByFamilies(witnesses.families(fields, topology), question));
    case 'cut':
      return atLeast(provedByCut(witnesses.cut(fields, topology), question));
    case 'messages':
      return atLeast(provedByMessages(witnesses.messages(fields, topology), question));
    case 'distances':
      return atLeast(provedByDistances(witnesses.distances(fields, topology), question));
    case 'spans':
      return atLeast(provedBySpans(witnesses.spans(fields, topology), question));
    case 'stretches':
      return atLeast(provedByStretches(witnesses.stretches(fields, topology), question));
    case 'routes':
      return atLeast(provedByRoutes(witnesses.routes(fields, topology), question));
    case 'reductions':
      return atLeast(provedByReductions(question));
    case 'staging':
      return atLeast(provedByStaging(witnesses.staging(fields, topology), question));
    case 'copied-first':
      return provesCopiedFirst(claimed, witnesses['copied-first'](fields, topology), question);
    case 'stopped-links':
      return provesStoppedLinks(claimed, witnesses['stopped-links'](fields, topology), question);
    case 'first-hand':
      return atLeast(provedAtFirstHand(witnesses['first-hand'](fields, topology), question));
    case 'gathering':
      return atLeast(provedByGathering(witnesses.gathering(fields, topology), question));
    case 'row':
      return atLeast(provedByRow(witnesses.row(fields, topology), question));
    case 'straight':
      return atLeast(provedByStraight(witnesses.straight(fields, topology), question));
    case 'relay':
      return provesRelay(claimed, witnesses.relay(fields, topology), question);
    case 'handing-on':
      return provesHandingOn(claimed, witnesses['handing-on'](fields, topology), question);
    case 'passing':
      return provesPassing(claimed, witnesses.passing(fields, topology), question);
  }
}
