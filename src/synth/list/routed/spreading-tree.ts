/**
 * A tree for few messages: who has heard of the root's data tells the next one as soon as possible. Where a chip sends one
 * message at a time this is the binomial tree, on chains a chain, on a torus a tree of shortest paths.
 */
import { KeyedHeap } from '../../../cost/keyed-heap.ts';
import type { Seconds } from '../../../ir/units.ts';
import type { ArcNetwork } from './network.ts';

export interface SpreadingTree {
  /** The arc that leads to each rank, −1 for the root. */
  readonly arcTo: Int32Array;
  /** When each rank's message starts, for messages of no bytes. */
  readonly start: Float64Array;
}

/**
 * Grows the tree by the message that would arrive first.
 *
 * @returns undefined where some rank cannot be reached
 */
export function spreadingTree(network: ArcNetwork, root: number): SpreadingTree | undefined {
  const { arcs, outgoing, ranks } = network;
  const arcTo = new Int32Array(ranks).fill(-1);
  const start = new Float64Array(ranks);
  const heard = new Float64Array(ranks).fill(Number.POSITIVE_INFINITY);
  const free = new Float64Array(network.resources);
  const startOf = (arc: number): Seconds => {
    let latest = heard[arcs[arc].from];
    for (const resource of arcs[arc].resources) latest = Math.max(latest, free[resource]);
    return latest;
  };
  // What an arc waits for only becomes later, so that its place in the heap is corrected when it comes up.
  const open = new KeyedHeap();
  const offer = (arc: number): void => open.push(startOf(arc) + arcs[arc].latency, arc);
  heard[root] = 0;
  outgoing[root].forEach(offer);
  let reached = 1;
  while (reached < ranks && open.length > 0) {
    const promised = open.leastKey;
    const arc = open.pop();
    const { to, latency, resources, held } = arcs[arc];
    if (heard[to] < Number.POSITIVE_INFINITY) continue;
    if (startOf(arc) + latency > promised) {
      offer(arc);
      continue;
    }
    arcTo[to] = arc;
    start[to] = startOf(arc);
    heard[to] = start[to] + latency;
    resources.forEach((resource, i) => {
      if (held[i]) free[resource] = heard[to];
    });
    outgoing[to].forEach(offer);
    reached++;
  }
  return reached === ranks ? { arcTo, start } : undefined;
}
