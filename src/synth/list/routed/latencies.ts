/** How soon a message of no bytes can be at each rank. */
import { KeyedHeap } from '../../../cost/keyed-heap.ts';
import type { ArcNetwork } from './network.ts';

/** The least Σα from a rank to all ranks, Infinity for those out of reach (Dijkstra's algorithm). */
export function leastLatencies({ arcs, outgoing, ranks }: ArcNetwork, source: number): Float64Array {
  const latency = new Float64Array(ranks).fill(Number.POSITIVE_INFINITY);
  const open = new KeyedHeap();
  latency[source] = 0;
  open.push(0, source);
  while (open.length > 0) {
    const known = open.leastKey;
    const rank = open.pop();
    if (known > latency[rank]) continue;
    for (const arc of outgoing[rank]) {
      const { to } = arcs[arc];
      const reached = known + arcs[arc].latency;
      if (reached >= latency[to]) continue;
      latency[to] = reached;
      open.push(reached, to);
    }
  }
  return latency;
}
