/** Lower bounds on the time of any correct plan on a machine. Proofs stand with each bound and in docs/bounds.md. */
import type { Certificate } from '../ir/certificate.ts';
import type { Collective } from '../ir/collective.ts';
import { inFewestChunks } from '../ir/fewest-chunks.ts';
import type { Bound } from '../ir/report.ts';
import { ranksOf, type Topology } from '../ir/topology.ts';
import type { Bytes } from '../ir/units.ts';
import { computeBound } from './compute.ts';
import { cutBound } from './cuts/bandwidth.ts';
import { firstHandBounds } from './latency/first-hand.ts';
import { latencyBound } from './latency/latency.ts';
import { overheadBound } from './latency/overheads.ts';
import { spreadingBounds } from './latency/spreading.ts';
import { lengthBounds } from './lengths/lengths.ts';
import { machineFacts, once } from './machine-facts.ts';
import { copiedFirstBounds } from './slots/copied-first.ts';
import { gatheringBounds } from './slots/gathering.ts';
import { messageCountBounds } from './slots/message-count.ts';
import { passingBounds } from './slots/passing.ts';
import { relayBounds } from './slots/relay.ts';
import { ringFlowBounds } from './slots/ring-flow.ts';
import { stoppedLinksBounds } from './slots/stopped-links.ts';
import { straightBounds } from './slots/straight.ts';
import { stagingBounds } from './staging.ts';

const trivial: Certificate = { kind: 'trivial', seconds: 0, reason: 'nothing has to be sent', witness: {} };

/**
 * Returns the best lower bound known on the simulated time of any correct plan, for a message of `size` bytes, and all
 * certificates found, best first; all of them include the launch time. `checkCertificate` checks each of them
 * independently. What does not depend on the size is computed once per topology object.
 */
export function lowerBound(asked: Collective, topology: Topology, size: Bytes): Bound {
  const collective = inFewestChunks(asked);
  const { launch = 0 } = topology;
  if (ranksOf(topology) < 2) return { seconds: launch, certificates: [{ ...trivial, seconds: launch }] };
  const facts = machineFacts(topology);
  const findLatency = () => latencyBound(collective, facts);
  const { kind, root, counts, custom } = collective;
  const isPlain = counts === undefined && custom === undefined;
  const latency = isPlain ? once(facts, `latency ${kind} ${root}`, findLatency) : findLatency();
  const certificates = [
    ...latency,
    ...overheadBound(collective, facts, latency),
    ...spreadingBounds(collective, facts, size),
    ...cutBound(collective, facts, size),
    ...messageCountBounds(collective, facts, size),
    ...stoppedLinksBounds(collective, facts, size),
    ...lengthBounds(collective, facts, size),
    ...gatheringBounds(collective, facts, size),
    ...ringFlowBounds(collective, facts, size),
    ...straightBounds(collective, facts, size),
    ...relayBounds(collective, facts, size),
    ...passingBounds(collective, facts, size),
    ...firstHandBounds(collective, facts, size),
    ...computeBound(collective, facts, size),
    ...stagingBounds(collective, facts, size),
    ...copiedFirstBounds(collective, facts, size),
  ].filter(({ seconds }) => Number.isFinite(seconds));
  if (certificates.length === 0) certificates.push(trivial);
  certificates.sort((a, b) => b.seconds - a.seconds);
  const after =
    launch > 0 ? certificates.map((found) => ({ ...found, seconds: found.seconds + launch })) : certificates;
  return { seconds: after[0].seconds, certificates: after };
}
