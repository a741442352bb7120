/** Shortest Σα between chips: what no message can go below, over however many chips it is passed on. */
import type { Topology } from '../../ir/topology.ts';
import type { Seconds } from '../../ir/units.ts';
import { KeyedHeap } from '../keyed-heap.ts';

export class Latencies {
  private readonly topology: Topology;
  private readonly outgoing: readonly (readonly number[])[];
  /** The number of the search that settled a node last. */
  private readonly settledIn: Int32Array;
  private searches = 0;
  private leastOfAll: Seconds | undefined;

  constructor(topology: Topology) {
    const outgoing: number[][] = topology.nodes.map(() => []);
    topology.links.forEach((link, index) => {
      outgoing[link.from].push(index);
    });
    this.topology = topology;
    this.outgoing = outgoing;
    this.settledIn = new Int32Array(topology.nodes.length);
  }

  /** Least Σα from a node to every node; Infinity where there is no way. */
  from(node: number): Float64Array {
    return this.fromAny([node]);
  }

  /** Least Σα from the nearest of these nodes to every node; Infinity where there is no way. */
  fromAny(nodes: readonly number[]): Float64Array {
    const least = new Float64Array(this.topology.nodes.length).fill(Number.POSITIVE_INFINITY);
    this.explore(nodes, (reached, latency) => {
      least[reached] = latency;
      return true;
    });
    return least;
  }

  /** Least Σα from one of these nodes to a node that `ends` accepts; Infinity if there is none. */
  nearest(sources: readonly number[], ends: (node: number) => boolean): Seconds {
    let found = Number.POSITIVE_INFINITY;
    this.explore(sources, (reached, latency) => {
      if (!ends(reached)) return true;
      found = latency;
      return false;
    });
    return found;
  }

  /** Least Σα between any two distinct ranks; Infinity for a single rank. */
  betweenAnyTwo(): Seconds {
    this.leastOfAll ??= this.leastBetweenChips();
    return this.leastOfAll;
  }

  private leastBetweenChips(): Seconds {
    const { chips } = this.topology;
    const isChip = new Set(chips);
    let least = Number.POSITIVE_INFINITY;
    for (const chip of chips) {
      least = Math.min(
        least,
        this.nearest([chip], (node) => node !== chip && isChip.has(node)),
      );
    }
    return least;
  }

  /** Dijkstra's algorithm; `visit` sees nodes in order of latency and says whether to go on. */
  private explore(sources: readonly number[], visit: (node: number, latency: Seconds) => boolean): void {
    const { links } = this.topology;
    const search = ++this.searches;
    const queue = new KeyedHeap();
    for (const source of sources) queue.push(0, source);
    while (queue.length > 0) {
      const latency = queue.leastKey;
      const node = queue.pop();
      if (this.settledIn[node] === search) continue;
      this.settledIn[node] = search;
      if (!visit(node, latency)) return;
      for (const link of this.outgoing[node]) {
        const { to } = links[link];
        if (this.settledIn[to] !== search) queue.push(latency + links[link].latency, to);
      }
    }
  }
}
