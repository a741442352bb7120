/** Makes the parts of JSON documents that describe a plan, full or compact: its time, its bound and its collective. */
import type { Claim } from '../ir/certificate.ts';
import type { Collective } from '../ir/collective.ts';
import { type Bound, type CostReport, optimality } from '../ir/report.ts';
import type { Bytes, Seconds } from '../ir/units.ts';
import type { Verification } from '../ir/verification.ts';
import { ratesOf } from './rates.ts';

/** Makes a document of the simulation except the loads of single links. */
export function costDocument(
  { seconds, messages, bytesMoved, bytesOnLinks, stretch }: Omit<CostReport, 'links'>,
  collective: Collective,
  size: Bytes,
) {
  return {
    basis: 'simulated',
    seconds,
    messages,
    bytesMoved,
    bytesOnLinks,
    stretch,
    ...ratesOf(collective, size, seconds),
  };
}

/**
 * Makes a document of the collective. The conditions of a custom collective are left out, since they are in the plan and may be longer than
 * everything else.
 */
export function collectiveDocument(collective: Collective) {
  if (collective.custom === undefined) return collective;
  const { results: _, ...sizes } = collective.custom;
  return { ...collective, custom: sizes };
}

/** Makes a document of a bound. @param takes the time of the plan in seconds */
export function boundDocument({ seconds, certificates }: Bound<Claim>, takes: Seconds) {
  return { basis: 'certified', seconds, optimality: optimality(seconds, takes), certificates };
}

export function verificationDocument(verification: Verification) {
  const { verdict, inflight = 'unbounded', smallestInflight, determinism, proved, checkedBy } = verification;
  return { verdict, inflight, smallestInflight, bitwise: determinism?.identical, proved, checkedBy };
}
