/** What `--json` says about a plan, whole or compact: its price, its bound and its proof. */
import type { Claim } from '../ir/certificate.ts';
import type { Collective } from '../ir/collective.ts';
import { type Bound, type CostReport, optimality } from '../ir/report.ts';
import type { Bytes, Seconds } from '../ir/units.ts';
import type { Verification } from '../ir/verification.ts';
import { ratesOf } from './rates.ts';

/** All but what the single links carry. */
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

/** The collective of a plan. What each slot of a custom one wants stands in the plan: it may be longer than all the rest. */
export function collectiveDocument(collective: Collective) {
  if (collective.custom === undefined) return collective;
  const { results: _, ...sizes } = collective.custom;
  return { ...collective, custom: sizes };
}

/** @param takes the time of the plan */
export function boundDocument({ seconds, certificates }: Bound<Claim>, takes: Seconds) {
  return { basis: 'certified', seconds, optimality: optimality(seconds, takes), certificates };
}

export function verificationDocument(verification: Verification) {
  const { verdict, inflight = 'unbounded', smallestInflight, determinism, proved, checkedBy } = verification;
  return { verdict, inflight, smallestInflight, bitwise: determinism?.identical, proved, checkedBy };
}
