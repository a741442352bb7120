/**
 * A tree for few messages: who has heard of the root's data tells the next one as soon as possible. Where a chip sends one
 * message at a time this is the binomial tree, on chains a chain, on a torus a tree of shortest paths.
 */
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
  heard[root] = 0;
  const startOf = (arc: number): Seconds =>
    arcs[arc].resources.reduce((latest, resource) => Math.max(latest, free[resource]), heard[arcs[arc].from]);
  let open = [...outgoing[root]];
  for (let reached = 1; reached < ranks; reached++) {
    let best = -1;
    for (const arc of open) {
      if (best < 0 || startOf(arc) + arcs[arc].latency < startOf(best) + arcs[best].latency) best = arc;
    }
    if (best < 0) return undefined;
    const { to, latency, resources, held } = arcs[best];
    arcTo[to] = best;
    start[to] = startOf(best);
    heard[to] = start[to] + latency;
    resources.forEach((resource, i) => {
      if (held[i]) free[resource] = heard[to];
    });
    open = [...open, ...outgoing[to]].filter((arc) => heard[arcs[arc].to] === Number.POSITIVE_INFINITY);
  }
  return { arcTo, start };
}
