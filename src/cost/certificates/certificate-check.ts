/**
 * Checks certificates of lower bounds from the topology and the collective's post-condition alone. It shares nothing with the search
 * that found them and prefers the plainest way to compute each number: shortest ways by relaxing every link, bytes by
 * going through the post-condition slot by slot.
 */
import type { Collective } from '../../ir/collective.ts';
import { inFewestChunks } from '../../ir/fewest-chunks.ts';
import type { Certificate } from '../../ir/report.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { provedByGathering, provedByMessageCount, provedByRow, provedByStraightMessages } from './combined.ts';
import { provedByCut, provedByLengths } from './cut.ts';
import { provesExclusive } from './exclusive.ts';
import { provedAtFirstHand } from './first-hand.ts';
import { provesPassing } from './passing.ts';
import { provesRelay } from './relay.ts';
import { provedBySpreading } from './spreading.ts';
import { inputsNeededBy, reductionsInAll } from './values.ts';
import { nearestPair, sumOf, waysFrom } from './ways.ts';

/** Certificates may claim this much more than what is recomputed here: rounding. */
const rounding = 1 + 1e-9;

/** True if the certificate proves that no correct plan takes less than `certificate.seconds`. */
export function checkCertificate(
  certificate: Certificate,
  asked: Collective,
  topology: Topology,
  size: Bytes,
): boolean {
  const collective = inFewestChunks(asked);
  const { kind, seconds, witness } = certificate;
  if (kind === 'combined' && witness.relay !== undefined) {
    // Plans written before allreduces had relays do not say the direction.
    const { relay: root, direction = collective.kind === 'reduce' ? 'in' : 'out', chips } = witness;
    if (typeof root !== 'number' || (direction !== 'out' && direction !== 'in') || !isList(chips)) return false;
    return provesRelay(seconds, { root, direction, chips }, collective, topology, size);
  }
  if (kind === 'combined' && witness.through !== undefined) {
    const { root, direction, through } = witness;
    if (typeof root !== 'number' || typeof through !== 'number') return false;
    if (direction !== 'out' && direction !== 'in') return false;
    return provesPassing(seconds, { root, direction, through }, collective, topology, size);
  }
  if (kind === 'combined' && typeof witness.price === 'number') {
    const { direction, price, lengths } = witness;
    if (direction !== 'out' && direction !== 'in') return false;
    if (lengths !== undefined && !isList(lengths)) return false;
    return provesExclusive(seconds, { direction, price, lengths }, collective, topology, size);
  }
  const proved = provedBy(certificate, collective, topology, size);
  return proved !== undefined && certificate.seconds >= 0 && certificate.seconds <= proved * rounding;
}

/** The time that the witness proves; undefined if it proves nothing. */
function provedBy(
  certificate: Certificate,
  collective: Collective,
  topology: Topology,
  size: Bytes,
): Seconds | undefined {
  const { kind, witness } = certificate;
  switch (kind) {
    case 'trivial':
      return 0;
    case 'latency':
      return provedByWay(witness.from, witness.to, collective, topology);
    case 'spreading':
      return provedByNews(witness, collective, topology, size);
    case 'bandwidth':
      if (witness.lengths !== undefined) {
        return isList(witness.lengths) ? provedByLengths(witness.lengths, collective, topology, size) : undefined;
      }
      if (witness.inside === undefined) return provedByCount(witness.direction, collective, topology, size);
      return provedBySides(witness, collective, topology, size);
    case 'combined':
      return provedByBoth(witness, collective, topology, size);
    case 'compute':
      return provedByReductions(collective, topology, size);
  }
}

function provedByNews(
  { direction, hub, apart, unit, prices }: Certificate['witness'],
  collective: Collective,
  topology: Topology,
  size: Bytes,
): Seconds | undefined {
  if ((direction !== 'out' && direction !== 'in') || typeof hub !== 'number') return undefined;
  if (prices === undefined) return provedBySpreading({ direction, hub }, collective, topology, size);
  if (typeof apart !== 'number' || typeof unit !== 'number' || !isList(prices)) return undefined;
  return provedBySpreading({ direction, hub, families: { apart, unit, prices } }, collective, topology, size);
}

function isList(witness: Witness): witness is readonly number[] {
  return typeof witness === 'object';
}

function provedBySides(
  { inside, sources, targets }: Certificate['witness'],
  collective: Collective,
  topology: Topology,
  size: Bytes,
): Seconds | undefined {
  if (!isList(inside) || !isList(sources) || !isList(targets)) return undefined;
  return provedByCut({ inside, sources, targets }, collective, topology, size);
}

function provedByCount(
  direction: Witness,
  collective: Collective,
  topology: Topology,
  size: Bytes,
): Seconds | undefined {
  if (direction !== 'out' && direction !== 'in') return undefined;
  return provedByMessageCount(direction, collective, topology, size);
}

function provedByBoth(
  { direction, row, rank, straight, alone, contributors }: Certificate['witness'],
  collective: Collective,
  topology: Topology,
  size: Bytes,
): Seconds | undefined {
  if (typeof alone === 'number') {
    return isList(contributors) ? provedAtFirstHand(alone, contributors, collective, topology, size) : undefined;
  }
  if (direction !== 'out' && direction !== 'in') return undefined;
  if (straight !== undefined) return provedByStraightMessages(direction, collective, topology, size);
  if (typeof row === 'number') return provedByRow(row, direction, collective, topology, size);
  return typeof rank === 'number' ? provedByGathering(rank, direction, collective, topology, size) : undefined;
}

type Witness = Certificate['witness'][string];

function provedByWay(from: Witness, to: Witness, collective: Collective, topology: Topology): Seconds | undefined {
  if (typeof from !== 'number' || typeof to !== 'number' || from === to) return undefined;
  if (!inputsNeededBy(collective, to).has(from)) return undefined;
  const distance = waysFrom(topology, [topology.chips[from]])[topology.chips[to]];
  if (collective.kind !== 'barrier' || topology.inflight === undefined) return distance;
  // News can also come back through a full channel: when a message is taken, its sender's next one is accepted. For that a
  // message has arrived, and without a rendezvous another one arrives later.
  const nearest = nearestPair(topology);
  return Math.min(distance, topology.inflight === 0 ? nearest : 2 * nearest);
}

/** All engines together do all the reductions. */
function provedByReductions(collective: Collective, topology: Topology, size: Bytes): Seconds | undefined {
  const engines = topology.chips.map((chip) => topology.nodes[chip].reduce?.throughput ?? Number.POSITIVE_INFINITY);
  const reductions = reductionsInAll(collective);
  return reductions === 0 ? undefined : (reductions * size) / sumOf(engines);
}
