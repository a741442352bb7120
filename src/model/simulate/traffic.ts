/** The part of the cost report that needs no simulation: which bytes a plan sends over which links. */

import type { Plan } from '../../ir/plan.ts';
import type { CostReport, LinkUse } from '../../ir/report.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Bytes } from '../../ir/units.ts';
import { messageDuration, type SimulatedConnections } from './connections.ts';
import type { OperationWeights } from './weights.ts';

/** The fields of a cost report that do not depend on when messages start. */
export type Traffic = Omit<CostReport, 'seconds' | 'criticalPath'>;

/** Adds up the messages of all bulks; `chunkBytes` is the size of an average chunk of one bulk. */
export function measureTraffic(
  plan: Plan,
  connections: SimulatedConnections,
  topology: Topology,
  { sent }: OperationWeights,
  chunkBytes: Bytes,
): Traffic {
  const { firstSend, sends, firstRouteLink, routeLink } = connections;
  const links = topology.links.map((_, link) => ({ link, messages: 0, bytes: 0, busy: 0 }));
  let chunksMoved = 0;
  let bytesOnLinks = 0;
  for (let c = 0; c < connections.count; c++) {
    const messages = (firstSend[c + 1] - firstSend[c]) * plan.bulks;
    let chunks = 0;
    for (let s = firstSend[c]; s < firstSend[c + 1]; s++) chunks += sent[sends[s]];
    chunksMoved += chunks;
    const bytes = chunks * plan.bulks * chunkBytes;
    // Durations are linear in the size: the sum over all messages is one duration for all bytes plus one latency for each further message.
    const held = messageDuration(connections, c, bytes) + (messages - 1) * connections.latency[c];
    for (let r = firstRouteLink[c]; r < firstRouteLink[c + 1]; r++) {
      const { occupancy, bandwidth } = topology.links[routeLink[r]];
      const use = links[routeLink[r]];
      use.messages += messages;
      use.bytes += bytes;
      use.busy += occupancy === 'blocking' ? held : bytes / bandwidth;
      bytesOnLinks += bytes;
    }
  }
  return {
    messages: sends.length * plan.bulks,
    bytesMoved: chunksMoved * plan.bulks * chunkBytes,
    bytesOnLinks,
    stretch: averageStretch(connections, plan.collective.ranks),
    links: links satisfies LinkUse[],
  };
}

/** Mean number of links per ordered pair of ranks that communicate; a pair with several channels counts once. */
function averageStretch(connections: SimulatedConnections, ranks: number): number {
  const pairs = new Set<number>();
  let hops = 0;
  for (let c = 0; c < connections.count; c++) {
    const pair = connections.sender[c] * ranks + connections.receiver[c];
    if (pairs.has(pair)) continue;
    pairs.add(pair);
    hops += connections.firstRouteLink[c + 1] - connections.firstRouteLink[c];
  }
  return pairs.size === 0 ? 0 : hops / pairs.size;
}
