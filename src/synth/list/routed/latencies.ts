/** How soon a message of no bytes can be at each rank. */
import { NearestFirst } from '../../../cost/nearest-first.ts';
import type { ArcNetwork } from '../../arcs.ts';

/** The least Σα from a rank to all ranks, Infinity for those out of reach. */
export function leastLatencies({ arcs, outgoing, ranks }: ArcNetwork, source: number): Float64Array {
  const search = new NearestFirst(ranks);
  search.reach(source, 0);
  for (let rank = search.next(); rank >= 0; rank = search.next()) {
    for (const arc of outgoing[rank]) search.reach(arcs[arc].to, search.length[rank] + arcs[arc].latency);
  }
  return search.length;
}
