/**
 * Which ranks can send over a pipelined link. Messages take routes of least total latency (Σα), so a rank sends over
 * the link only if one of its shortest routes to another rank uses it. The link is busy from the start of a message on,
 * wherever on its route the message starts. Hence whatever follows over this link starts no sooner than the earliest of
 * these senders can start, and also has to travel from its own sender to the link.
 */
import type { Seconds } from '../../ir/units.ts';
import { searched } from '../limits.ts';
import { type MachineFacts, once } from '../machine-facts.ts';

/** Routes whose latencies differ by less than this count as equally long: routes are compared in whole femtoseconds. */
const rounding: Seconds = 1e-12;

/**
 * The least Σα from the sources to a rank that sends over the link, and from such a rank to the link. If no shortest
 * route uses the link, any rank may be the sender.
 * @param before by node, least Σα from the sources
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

/** Nodes of the ranks that send over the link. */
function sendersOver({ topology, latencies }: MachineFacts, link: number): readonly number[] {
  const { chips } = topology;
  const { from, to, latency } = topology.links[link];
  const onwards = latencies.from(to);
  const farthest = onwards.reduce((most, way) => (Number.isFinite(way) ? Math.max(most, way) : most), 0);
  return chips.filter((chip) => {
    const way = latencies.from(chip);
    const over = way[from] + latency;
    // If the far end is reached sooner without this link, so is every rank beyond it.
    if (over > way[to] + 2 * (1e-9 * (way[to] + farthest) + rounding)) return false;
    return chips.some((other) => other !== chip && over + onwards[other] <= way[other] * (1 + 1e-9) + rounding);
  });
}
