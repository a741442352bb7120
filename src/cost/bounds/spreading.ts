/**
 * Spreading: where a chip can have only d messages under way, each holding a port or a `blocking` link for at least α, one
 * rank's data is known to at most (1 + d)^t ranks after t·α. For if K(t) ranks can know it by then, the d slots of a chip that
 * knows it finish at most d messages per α, so K(t) = 1 + d·(K(t − 1) + … + K(0)) = (1 + d)·K(t − 1). Run backwards in time,
 * the same holds for how many ranks' data can have come together at one rank, d counting what a chip can receive.
 */
import type { Collective } from '../../ir/collective.ts';
import type { Certificate } from '../../ir/report.ts';
import { ranksOf, type Topology } from '../../ir/topology.ts';
import type { Latencies } from './latencies.ts';
import { dependence } from './needs.ts';

export type Direction = 'out' | 'in';

export function spreadingBounds(collective: Collective, topology: Topology, latencies: Latencies): Certificate[] {
  // In a barrier, a sender may learn something from its message being taken: no data goes that way, but the argument would fail.
  if (collective.kind === 'barrier' && topology.inflight !== undefined) return [];
  const ranks = ranksOf(topology);
  const nearest = latencies.betweenAnyTwo();
  const certificates: Certificate[] = [];
  for (const direction of ['out', 'in'] as const) {
    if (!reachesEveryone(collective, direction)) continue;
    const slots = mostAtOnce(topology, direction);
    if (slots < 1 || !Number.isFinite(slots) || !Number.isFinite(nearest)) continue;
    let rounds = 0;
    for (let known = 1; known < ranks; known *= 1 + slots) rounds++;
    const way = direction === 'out' ? 'send' : 'receive';
    const what = direction === 'out' ? "one rank's data must reach" : 'one rank must get data of';
    const reason = `${what} all ${ranks}, and a chip can ${way} ${slots} at a time: ${rounds} rounds`;
    certificates.push({ kind: 'spreading', seconds: rounds * nearest, reason, witness: { direction, slots, rounds } });
  }
  return certificates;
}

/** Is there a rank whose data all others need (`out`), or one that needs data of all others (`in`)? */
function reachesEveryone(collective: Collective, direction: Direction): boolean {
  const { ranks } = collective;
  const needs = dependence(collective);
  for (let hub = 0; hub < ranks; hub++) {
    let all = true;
    for (let other = 0; all && other < ranks; other++) {
      if (other !== hub) all = direction === 'out' ? needs(hub, other) : needs(other, hub);
    }
    if (all) return true;
  }
  return false;
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
