/**
 * Who sends over a pipelined link: messages take a way of least Σα, so it is those ranks from which such a way to some other one leads over
 * the link. The link is busy from the start of a message on, wherever it starts. So what follows others over it can be no sooner than
 * the first of them started, and has all the way from its own sender to the link.
 */
import type { Seconds } from '../../ir/units.ts';
import { searched } from '../limits.ts';
import { type MachineFacts, once } from '../machine-facts.ts';

/** Ways that are no longer than this are of one length: routes are compared in whole femtoseconds. */
const rounding: Seconds = 1e-12;

/**
 * The least Σα from sources to a sender over a link, and from a sender to the link; from any rank, where no shortest way leads over it.
 *
 * @param before by node, from the sources
 */
export function soonestAt(facts: MachineFacts, link: number, before: Float64Array): Seconds {
  const { topology, latencies, nearestRank } = facts;
  const { from } = topology.links[link];
  if (topology.nodes.length > searched.nodesForSenders) return nearestRank[from];
  let start = Number.POSITIVE_INFINITY;
  let way = Number.POSITIVE_INFINITY;
  for (const chip of once(facts, `senders over link ${link}`, () => sendersOver(facts, link))) {
    start = Math.min(start, before[chip]);
    way = Math.min(way, latencies.from(chip)[from]);
  }
  return Number.isFinite(way) ? start + way : nearestRank[from];
}

/** Their nodes. */
function sendersOver({ topology, latencies }: MachineFacts, link: number): readonly number[] {
  const { chips } = topology;
  const { from, to, latency } = topology.links[link];
  const onwards = latencies.from(to);
  const farthest = onwards.reduce((most, way) => (Number.isFinite(way) ? Math.max(most, way) : most), 0);
  return chips.filter((chip) => {
    const way = latencies.from(chip);
    const over = way[from] + latency;
    // Whoever comes to the far end sooner another way comes to all others sooner.
    if (over > way[to] + 2 * (1e-9 * (way[to] + farthest) + rounding)) return false;
    return chips.some((other) => other !== chip && over + onwards[other] <= way[other] * (1 + 1e-9) + rounding);
  });
}
