/**
 * Latency bound: if the result of one rank depends on the input of another, information takes at least the Σα of the
 * shortest path between them, over however many messages.
 */

import type { Certificate } from '../../ir/certificate.ts';
import type { Collective } from '../../ir/collective.ts';
import { ranksOf } from '../../ir/topology.ts';
import type { Seconds } from '../../ir/units.ts';
import type { MachineFacts } from '../machine-facts.ts';
import { dependence, treatsRanksAlike } from '../needs.ts';

/** Budget for finding the farthest pair, in nodes and links visited; beyond it, ranks are sampled evenly. */
const searchBudget = 4_000_000;

export function latencyBound(collective: Collective, facts: MachineFacts): Certificate[] {
  const { topology, latencies } = facts;
  const { from, to, seconds } = farthestPair(collective, facts);
  if (to < 0) return [];
  if (collective.kind === 'barrier' && topology.inflight !== undefined) {
    const nearest = latencies.betweenAnyTwo();
    const claimed = Math.min(seconds, topology.inflight === 0 ? nearest : 2 * nearest);
    const reason = `rank ${to} must get a signal from rank ${from}, at least by seeing that a full channel has been read`;
    return [{ kind: 'latency', seconds: claimed, reason, witness: { from, to } }];
  }
  const reason = `rank ${to} needs data from rank ${from}, and no path between them is faster`;
  return [{ kind: 'latency', seconds, reason, witness: { from, to } }];
}

function farthestPair(collective: Collective, { topology, latencies, alike }: MachineFacts) {
  const { chips } = topology;
  const ranks = ranksOf(topology);
  const needs = dependence(collective);
  const searches = Math.max(1, Math.floor(searchBudget / (topology.nodes.length + topology.links.length)));
  const askers = alike && treatsRanksAlike(collective) ? [0] : chips.map((_, rank) => rank);
  const sources = askers.filter((from) => chips.some((_, to) => to !== from && needs(from, to)));
  const stride = Math.ceil(sources.length / searches);
  let best: { from: number; to: number; seconds: Seconds } = { from: -1, to: -1, seconds: -1 };
  for (let s = 0; s < sources.length; s += stride) {
    const from = sources[s];
    const least = latencies.from(chips[from]);
    for (let to = 0; to < ranks; to++) {
      const seconds = least[chips[to]];
      if (to === from || seconds <= best.seconds || !Number.isFinite(seconds) || !needs(from, to)) continue;
      best = { from, to, seconds };
    }
  }
  return best;
}
