/** Lower bounds on the time of any correct plan on a machine (design.md §8). */
import type { Collective } from '../../ir/collective.ts';
import type { Bound, Certificate } from '../../ir/report.ts';
import { ranksOf, type Topology } from '../../ir/topology.ts';
import type { Bytes } from '../../ir/units.ts';
import { bandwidthBounds } from './bandwidth.ts';
import { computeBound } from './compute.ts';
import { Latencies } from './latencies.ts';
import { latencyBound } from './latency.ts';
import { spreadingBounds } from './spreading.ts';

const trivial: Certificate = { kind: 'trivial', seconds: 0, reason: 'nothing has to be sent', witness: {} };

/**
 * The best lower bound that is known on the simulated time of any correct plan, for a message of `size` bytes, and all the
 * certificates that were found, best first. `checkCertificate` checks each of them anew.
 */
export function lowerBound(collective: Collective, topology: Topology, size: Bytes): Bound {
  if (ranksOf(topology) < 2) return { seconds: 0, certificates: [trivial] };
  const latencies = new Latencies(topology);
  const certificates = [
    ...latencyBound(collective, topology, latencies),
    ...spreadingBounds(collective, topology, latencies),
    ...bandwidthBounds(collective, topology, size, latencies),
    ...computeBound(collective, topology, size),
  ].filter(({ seconds }) => Number.isFinite(seconds));
  if (certificates.length === 0) certificates.push(trivial);
  certificates.sort((a, b) => b.seconds - a.seconds);
  return { seconds: certificates[0].seconds, certificates };
}
