/**
 * A tree for few messages: who has heard of the root's data tells the next one as soon as possible. Where a chip sends one
 * message at a time this is the binomial tree, on chains a chain, on a torus a tree of shortest paths.
 */
import { KeyedHeap } from '../../../cost/keyed-heap.ts';
import type { Seconds } from '../../../ir/units.ts';
import type { ArcNetwork } from '../../arcs.ts';
import type { Parcel, RoutedParcels } from './parcels.ts';

interface SpreadingTree {
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
function spreadingTree(network: ArcNetwork, root: number): SpreadingTree | undefined {
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

/**
 * All data of a scatter over a spreading tree, in one message per rank: what the rank and those behind it get, one parcel each.
 *
 * @returns undefined where some rank cannot be reached
 */
export function spreadingTreeParcels(network: ArcNetwork, root: number): RoutedParcels | undefined {
  const tree = spreadingTree(network, root);
  if (tree === undefined) return undefined;
  const parcels: Parcel[] = [];
  const paths: number[][] = [];
  const carried = new Map<number, number[]>();
  for (let destination = 0; destination < network.ranks; destination++) {
    if (destination === root) continue;
    const path: number[] = [];
    for (let at = destination; at !== root; at = network.arcs[tree.arcTo[at]].from) path.push(tree.arcTo[at]);
    for (const arc of path) carried.set(arc, [...(carried.get(arc) ?? []), parcels.length]);
    parcels.push({ source: root, destination, weight: 1, part: 0, parts: 1 });
    paths.push(path.reverse());
  }
  const starts = [...new Set(tree.start)].sort((a, b) => a - b);
  const rounds = starts.map((start) =>
    [...carried].flatMap(([arc, there]) =>
      tree.start[network.arcs[arc].to] === start ? [{ arc, parcels: there }] : [],
    ),
  );
  return { parcels, paths, rounds: rounds.filter((messages) => messages.length > 0) };
}
