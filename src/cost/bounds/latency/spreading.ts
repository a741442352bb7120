/**
 * Spreading: where a chip can have only d messages under way, each holding a port or a `blocking` link for at least the Σα between its
 * ends, what one rank knows is known to all no sooner than news.ts says, even if messages had no bytes. To the last rank all messages
 * with that data end later by what their bytes take: if it needs b bytes, in slots of B together, T ≥ (that time) + b/B.
 *
 * Where it has no slots this holds with the least Σα of all, α, for that of every message: then those messages start at least α before
 * that time and leave their links α before T, B being what these carry. So K(t) = (1 + d)·K(t − 1) ranks can know after t·α.
 *
 * Run backwards in time, both hold for how soon data of all ranks can have come together at one, d counting what a chip can receive.
 */

import type { Certificate } from '../../../ir/certificate.ts';
import type { Collective } from '../../../ir/collective.ts';
import { ranksOf, type Topology } from '../../../ir/topology.ts';
import { type Bytes, formatSeconds, type Seconds } from '../../../ir/units.ts';
import { type MachineFacts, once } from '../machine-facts.ts';
import { bytesBetween, dependence } from '../needs.ts';
import { type Direction, slotsOf } from '../slots/exclusive-slots.ts';
import { byNeighbours, type News, slowestNews } from './news.ts';

export function spreadingBounds(collective: Collective, facts: MachineFacts, size: Bytes): Certificate[] {
  const { topology } = facts;
  // In a barrier, a sender may learn something from its message being taken: no data goes that way, but the argument would fail.
  if (collective.kind === 'barrier' && topology.inflight !== undefined) return [];
  const ranks = ranksOf(topology);
  const nearest = facts.latencies.betweenAnyTwo();
  const certificates: Certificate[] = [];
  for (const direction of ['out', 'in'] as const) {
    const hub = hubOf(collective, direction);
    const slots = once(facts, `messages at once ${direction}`, () => mostAtOnce(topology, direction));
    if (hub < 0 || slots < 1 || !Number.isFinite(slots) || !Number.isFinite(nearest)) continue;
    const bytes = leastBytes(collective, size, hub, direction);
    const bandwidths = direction === 'out' ? facts.receives : facts.sends;
    const plain = byNeighbours(new Array(ranks - 1).fill(nearest), slots);
    let most: News & { readonly ends: Seconds } = { seconds: plain, ends: plain + bytes / Math.max(...bandwidths) };
    const last = slotsOf(facts, direction === 'out' ? 'in' : 'out');
    const news = last === undefined ? undefined : slowestNews(facts, direction, slots);
    if (last !== undefined && news !== undefined && news.seconds + bytes / last.together > most.ends) {
      most = { ...news, ends: news.seconds + bytes / last.together };
    }
    const way = direction === 'out' ? 'send' : 'receive';
    const what = direction === 'out' ? "one rank's data must reach" : 'one rank must get data of';
    const reason = `${what} all ${ranks}, and a chip can ${way} ${slots} at a time, first ${direction === 'out' ? 'to' : 'from'} those next to it: ${formatSeconds(most.seconds)}, and the last rank's bytes`;
    const claim = { seconds: most.ends, reason };
    const witness = { direction, hub };
    const { families } = most;
    if (families === undefined) certificates.push({ ...claim, kind: 'spreading', witness });
    else certificates.push({ ...claim, kind: 'families', witness: { ...witness, ...families } });
  }
  return certificates;
}

/** b above: the least that a rank needs of the hub's data, or the hub of it. */
function leastBytes(collective: Collective, size: Bytes, hub: number, direction: Direction): Bytes {
  let least = Number.POSITIVE_INFINITY;
  for (let rank = 0; rank < collective.ranks; rank++) {
    if (rank === hub) continue;
    const [from, to] = direction === 'out' ? [hub, rank] : [rank, hub];
    least = Math.min(least, bytesBetween(collective, size, [from], [to]));
    if (least === 0) return 0;
  }
  return least;
}

/** The first rank whose data all others need (`out`), or that needs data of all others (`in`); −1 if there is none. */
function hubOf(collective: Collective, direction: Direction): number {
  const { ranks } = collective;
  const needs = dependence(collective);
  for (let hub = 0; hub < ranks; hub++) {
    let all = true;
    for (let other = 0; all && other < ranks; other++) {
      if (other !== hub) all = direction === 'out' ? needs(hub, other) : needs(other, hub);
    }
    if (all) return hub;
  }
  return -1;
}

/** The most messages that any chip can have under way in one direction: limited by its ports, and by its links if they block. */
function mostAtOnce(topology: Topology, direction: Direction): number {
  const links = new Float64Array(topology.nodes.length);
  for (const link of topology.links) {
    links[direction === 'out' ? link.from : link.to] += link.occupancy === 'blocking' ? 1 : Number.POSITIVE_INFINITY;
  }
  let most = 0;
  for (const chip of topology.chips) {
    const { ports } = topology.nodes[chip];
    most = Math.max(most, Math.min(links[chip], direction === 'out' ? ports.send : ports.receive));
  }
  return most;
}
