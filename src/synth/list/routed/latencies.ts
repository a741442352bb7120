/** How soon a message of no bytes can be at each rank. */
import type { Seconds } from '../../../ir/units.ts';
import type { ArcNetwork } from './network.ts';

/** The least Σα from a rank to all ranks, Infinity for those out of reach (Dijkstra's algorithm on a table). */
export function leastLatencies({ arcs, outgoing, ranks }: ArcNetwork, source: number): Float64Array {
  const latency = new Float64Array(ranks).fill(Number.POSITIVE_INFINITY);
  const open = new Set([source]);
  latency[source] = 0;
  for (let node = nearest(open, latency); node >= 0; node = nearest(open, latency)) {
    open.delete(node);
    for (const arc of outgoing[node]) {
      const { to } = arcs[arc];
      const reached = latency[node] + arcs[arc].latency;
      if (reached >= latency[to]) continue;
      latency[to] = reached;
      open.add(to);
    }
  }
  return latency;
}

function nearest(open: ReadonlySet<number>, latency: Float64Array): number {
  let found = -1;
  let least: Seconds = Number.POSITIVE_INFINITY;
  for (const node of open) {
    if (latency[node] >= least) continue;
    least = latency[node];
    found = node;
  }
  return found;
}
