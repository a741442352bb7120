/**
 * The best routes on machines that have only chips, and links of equal latency. Breadth-first search gives the same result as Dijkstra's algorithm
 * (route-search.ts) there, in less time, and a search for one target can stop at the distance of the target.
 */
import { floatAt, intAt, itemAt } from './indexing.ts';
import type { Reach } from './route-search.ts';
import type { Topology } from './topology.ts';

const noOthers: Reach['others'] = new Map();

/** The columns are reused by successive searches: on large machines, most searches visit few nodes. */
export class PlainRouteSearch {
  /** Links sorted by the node that they leave, with the node that each leads to and its bandwidth. */
  private readonly firstOut: Int32Array;
  private readonly out: Int32Array;
  private readonly to: Int32Array;
  private readonly widths: Float64Array;
  /** By node, the best route known so far: its last link, the node before, the number of links, and the bandwidth. */
  private readonly previous: Int32Array;
  private readonly before: Int32Array;
  private readonly hops: Int32Array;
  private readonly bandwidth: Float64Array;
  /** Nodes reached so far, in order of distance; the first `count` entries are valid. */
  private readonly reached: Int32Array;
  private count = 0;

  /** @param outgoing links that leave each node */
  constructor({ nodes, links }: Topology, outgoing: readonly (readonly number[])[]) {
    this.firstOut = new Int32Array(nodes.length + 1);
    for (const [node, own] of outgoing.entries()) this.firstOut[node + 1] = intAt(this.firstOut, node) + own.length;
    this.out = Int32Array.from(outgoing.flat());
    this.to = this.out.map((link) => itemAt(links, link).to);
    this.widths = Float64Array.from(this.out, (link) => itemAt(links, link).bandwidth);
    this.reached = new Int32Array(nodes.length);
    this.before = new Int32Array(nodes.length);
    this.previous = new Int32Array(nodes.length).fill(-1);
    this.hops = new Int32Array(nodes.length);
    this.bandwidth = new Float64Array(nodes.length);
  }

  /** The routes to all nodes. */
  from(source: number): Reach {
    this.search(source, -1, Number.POSITIVE_INFINITY);
    return { previous: this.previous.slice(), others: noOthers };
  }

  /**
   * Routes from a node that include the one to `target`, valid until the next search; undefined if the search visits more than `mostNodes` nodes
   * before it has found that route.
   */
  near(source: number, target: number, mostNodes: number): Reach | undefined {
    const isFound = this.search(source, target, mostNodes);
    return isFound ? { previous: this.previous, others: noOthers } : undefined;
  }

  /** Number of nodes that the last search reached. */
  get looked(): number {
    return this.count;
  }

  /** Returns true once the route to the target is final: all nodes that are nearer than the target have been expanded. */
  private search(source: number, target: number, mostNodes: number): boolean {
    const { previous, hops, reached } = this;
    for (let at = 0; at < this.count; at++) previous[intAt(reached, at)] = -1;
    reached[0] = source;
    this.count = 1;
    hops[source] = 0;
    this.bandwidth[source] = Number.POSITIVE_INFINITY;
    for (let at = 0; at < this.count; at++) {
      const node = intAt(reached, at);
      if (target >= 0 && intAt(previous, target) >= 0 && intAt(hops, target) <= intAt(hops, node)) return true;
      if (this.count > mostNodes) return false;
      this.goOn(node, source);
    }
    return target >= 0 && intAt(previous, target) >= 0;
  }

  /** Expands a node: relaxes its links to nodes that are not nearer to the source. */
  private goOn(node: number, source: number): void {
    const { firstOut, out, to, widths, previous, before, hops, bandwidth } = this;
    const next = intAt(hops, node) + 1;
    for (let at = intAt(firstOut, node); at < intAt(firstOut, node + 1); at++) {
      const end = intAt(to, at);
      const isNew = intAt(previous, end) < 0;
      if (end === source || (!isNew && intAt(hops, end) < next)) continue;
      const width = Math.min(floatAt(bandwidth, node), floatAt(widths, at));
      if (!isNew && width < floatAt(bandwidth, end)) continue;
      // Among equally good routes, keep the one whose last but one node Dijkstra's algorithm would have expanded first.
      if (!isNew && width === bandwidth[end] && !this.isMetFirst(node, intAt(before, end))) continue;
      if (isNew) this.reached[this.count++] = end;
      hops[end] = next;
      bandwidth[end] = width;
      before[end] = node;
      previous[end] = intAt(out, at);
    }
  }

  /** Whether Dijkstra's algorithm expands node a before node b, which is as far away. */
  private isMetFirst(a: number, b: number): boolean {
    const { bandwidth } = this;
    return bandwidth[a] !== bandwidth[b] ? floatAt(bandwidth, a) > floatAt(bandwidth, b) : a < b;
  }
}
