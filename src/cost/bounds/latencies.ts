/** Shortest Σα between chips: what no message can go below, over however many chips it is passed on. */
import type { Topology } from '../../ir/topology.ts';
import type { Seconds } from '../../ir/units.ts';
import { KeyedHeap } from '../keyed-heap.ts';

export class Latencies {
  private readonly topology: Topology;
  /** Links that leave node v: `firstLink[v] … firstLink[v + 1] − 1`; where they lead, and their α. */
  private readonly firstLink: Int32Array;
  private readonly target: Int32Array;
  private readonly latency: Float64Array;
  /** By node: the number of the search that came to it last, the least Σα that this one has found so far, and 1 if that is final. */
  private readonly seenIn: Int32Array;
  private readonly least: Float64Array;
  private readonly settled: Uint8Array;
  private readonly queue = new KeyedHeap();
  private searches = 0;
  private leastOfAll: Seconds | undefined;

  constructor(topology: Topology) {
    const { nodes, links } = topology;
    this.topology = topology;
    this.firstLink = new Int32Array(nodes.length + 1);
    for (const { from } of links) this.firstLink[from + 1]++;
    for (let node = 0; node < nodes.length; node++) this.firstLink[node + 1] += this.firstLink[node];
    this.target = new Int32Array(links.length);
    this.latency = new Float64Array(links.length);
    const next = this.firstLink.slice();
    for (const { from, to, latency } of links) {
      this.target[next[from]] = to;
      this.latency[next[from]++] = latency;
    }
    this.seenIn = new Int32Array(nodes.length);
    this.least = new Float64Array(nodes.length);
    this.settled = new Uint8Array(nodes.length);
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
    const { queue, firstLink, target, latency, settled } = this;
    this.searches++;
    queue.clear();
    for (const source of sources) this.reach(source, 0);
    while (queue.length > 0) {
      const node = queue.pop();
      if (settled[node] === 1) continue;
      settled[node] = 1;
      const reached = this.least[node];
      if (!visit(node, reached)) return;
      for (let link = firstLink[node]; link < firstLink[node + 1]; link++) {
        this.reach(target[link], reached + latency[link]);
      }
    }
  }

  /** A node can be reached so: it waits to be settled, unless there is a way as good. */
  private reach(node: number, latency: Seconds): void {
    if (this.seenIn[node] === this.searches && this.least[node] <= latency) return;
    if (this.seenIn[node] !== this.searches) this.settled[node] = 0;
    this.seenIn[node] = this.searches;
    this.least[node] = latency;
    this.queue.push(latency, node);
  }
}
