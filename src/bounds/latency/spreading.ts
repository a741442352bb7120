/**
 * Spreading bound: the earliest time at which data of one rank can have reached all ranks, or data of all ranks can
 * have reached one (the reversed problem). The theorems are in certificates/spreading.ts and certificates/families.ts,
 * the proofs in docs/bounds.md; news.ts computes the time.
 */
import type { Certificate, Direction } from '../../ir/certificate.ts';
import type { Collective } from '../../ir/collective.ts';
import { ranksOf } from '../../ir/topology.ts';
import { type Bytes, formatSeconds, type Seconds } from '../../ir/units.ts';
import type { MachineFacts } from '../machine-facts.ts';
import { bytesBetween, dependence } from '../needs.ts';
import { slotsOf } from '../slots/exclusive-slots.ts';
import { byNeighbours, type News, slowestNews } from './news.ts';

export function spreadingBounds(collective: Collective, facts: MachineFacts, size: Bytes): Certificate[] {
  const { topology } = facts;
  // In a barrier a sender may learn from the acknowledgement of its message: no data flows that way, but the proof
  // would not hold.
  if (collective.kind === 'barrier' && topology.inflight !== undefined) return [];
  const ranks = ranksOf(topology);
  const nearest = facts.latencies.betweenAnyTwo();
  const certificates: Certificate[] = [];
  for (const direction of ['out', 'in'] as const) {
    const hub = hubOf(collective, direction);
    const slots = slotsOf(facts, direction)?.count;
    if (hub < 0 || slots === undefined || !Number.isFinite(nearest)) continue;
    const bytes = minBytes(collective, size, hub, direction);
    const bandwidths = direction === 'out' ? facts.receives : facts.sends;
    const plain = byNeighbours(new Array(ranks - 1).fill(nearest), slots);
    let most: News & { readonly ends: Seconds } = { seconds: plain, ends: plain + bytes / Math.max(...bandwidths) };
    const last = slotsOf(facts, direction === 'out' ? 'in' : 'out');
    const news = last === undefined ? undefined : slowestNews(facts, direction, slots);
    if (last !== undefined && news !== undefined && news.seconds + bytes / last.together > most.ends) {
      most = { ...news, ends: news.seconds + bytes / last.together };
    }
    const way = direction === 'out' ? 'send' : 'receive';
    const what = direction === 'out' ? "one rank's data must reach" : 'one rank must get data from';
    const reason = `${what} all ${ranks} ranks, and a chip can ${way} ${slots} messages at a time, first ${direction === 'out' ? 'to' : 'from'} its neighbours: ${formatSeconds(most.seconds)} plus the time of the last rank's bytes`;
    const claim = { seconds: most.ends, reason };
    const witness = { direction, hub };
    const { families } = most;
    if (families === undefined) certificates.push({ ...claim, kind: 'spreading', witness });
    else certificates.push({ ...claim, kind: 'families', witness: { ...witness, ...families } });
  }
  return certificates;
}

/** b of the theorem: the least number of bytes that any rank needs of the hub's data, or the hub of any rank's. */
function minBytes(collective: Collective, size: Bytes, hub: number, direction: Direction): Bytes {
  const bytes = Array.from({ length: collective.ranks }, (_, rank) => {
    if (rank === hub) return Number.POSITIVE_INFINITY;
    return direction === 'out'
      ? bytesBetween(collective, size, [hub], [rank])
      : bytesBetween(collective, size, [rank], [hub]);
  });
  return bytes.reduce((least, of) => Math.min(least, of));
}

/** The first rank whose data all others need (`out`), or that needs data of all others (`in`); −1 if there is none. */
function hubOf(collective: Collective, direction: Direction): number {
  const everyone = Array.from({ length: collective.ranks }, (_, rank) => rank);
  const needs = dependence(collective);
  const isHub = (hub: number, other: number) => (direction === 'out' ? needs(hub, other) : needs(other, hub));
  return everyone.findIndex((hub) => everyone.every((other) => other === hub || isHub(hub, other)));
}
