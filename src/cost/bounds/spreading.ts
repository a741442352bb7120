/**
 * Spreading: where a chip can have only d messages under way, each holding a port or a `blocking` link for at least α, one
 * rank's data is known to at most (1 + d)^t ranks after t·α. For if K(t) ranks can know it by then, the d slots of a chip that
 * knows it finish at most d messages per α, so K(t) = 1 + d·(K(t − 1) + … + K(0)) = (1 + d)·K(t − 1). With ℓ = ⌈log₁₊d N⌉, before
 * (ℓ − 1)·α fewer than N ranks know something of it or have it under way to them: to some rank, all messages with it start
 * later, and if it needs b bytes that depend on it, T ≥ ℓ·α + b/B, B being what a chip can receive. Run backwards in time,
 * the same holds for how many ranks' data can have come together at one rank, d counting what a chip can receive.
 */
import type { Collective } from '../../ir/collective.ts';
import type { Certificate } from '../../ir/report.ts';
import { ranksOf, type Topology } from '../../ir/topology.ts';
import type { Bytes } from '../../ir/units.ts';
import type { Direction } from './exclusive-slots.ts';
import { type MachineFacts, once } from './machine-facts.ts';
import { bytesBetween, dependence } from './needs.ts';

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
    let rounds = 0;
    for (let known = 1; known < ranks; known *= 1 + slots) rounds++;
    const way = direction === 'out' ? 'send' : 'receive';
    const what = direction === 'out' ? "one rank's data must reach" : 'one rank must get data of';
    const reason = `${what} all ${ranks}, and a chip can ${way} ${slots} at a time: ${rounds} rounds, and the last rank's bytes`;
    const seconds = rounds * nearest + lastBytes(collective, facts, size, hub, direction);
    certificates.push({ kind: 'spreading', seconds, reason, witness: { direction, slots, rounds, hub } });
  }
  return certificates;
}

/** b/B above: the least that a rank needs of the hub's data (or the hub of it), at the most that a chip can do. */
function lastBytes(
  collective: Collective,
  facts: MachineFacts,
  size: Bytes,
  hub: number,
  direction: Direction,
): number {
  const bandwidths = direction === 'out' ? facts.receives : facts.sends;
  const bandwidth = bandwidths.reduce((most, value) => Math.max(most, value), 0);
  let least = Number.POSITIVE_INFINITY;
  for (let rank = 0; rank < collective.ranks; rank++) {
    if (rank === hub) continue;
    const [from, to] = direction === 'out' ? [hub, rank] : [rank, hub];
    least = Math.min(least, bytesBetween(collective, size, [from], [to]));
    if (least === 0) return 0;
  }
  return least / bandwidth;
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
