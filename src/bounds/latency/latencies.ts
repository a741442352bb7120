/**
 * Least total latency (Σα) between nodes, by Dijkstra's algorithm: no message can arrive sooner, however many chips
 * relay it.
 */

import { NearestFirst } from '../../graph/nearest-first.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Seconds } from '../../ir/units.ts';

/** Largest machine, in nodes, for which the distances of all pairs are cached (half a megabyte). */
export const maxAllPairsNodes = 256;

export class Latencies {
  private readonly topology: Topology;
  /**
   * Links that leave node v are `firstLink[v] … firstLink[v + 1] − 1`; the other columns have their target nodes and α.
   */
  private readonly firstLink: Int32Array;
  private readonly target: Int32Array;
  private readonly latency: Float64Array;
  private readonly search: NearestFirst;
  private minOfAll: Seconds | undefined;
  /** Results of `from`, cached on machines small enough. */
  private readonly known = new Map<number, Float64Array>();

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
    this.search = new NearestFirst(nodes.length);
  }

  /** Least Σα from a node to every node, Infinity if unreachable. The result is shared: do not write to it. */
  from(node: number): Float64Array {
    const known = this.known.get(node) ?? this.fromAny([node]);
    if (known.length <= maxAllPairsNodes) this.known.set(node, known);
    return known;
  }

  /** Least Σα from the nearest of these nodes to every node, Infinity if unreachable. */
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
    this.minOfAll ??= this.minBetweenChips();
    return this.minOfAll;
  }

  private minBetweenChips(): Seconds {
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

  /** Dijkstra's algorithm; `visit` is called for nodes in order of latency and returns whether to continue. */
  private explore(sources: readonly number[], visit: (node: number, latency: Seconds) => boolean): void {
    const { search, firstLink, target, latency } = this;
    search.clear();
    for (const source of sources) search.reach(source, 0);
    for (let node = search.next(); node >= 0; node = search.next()) {
      const reached = search.length[node];
      if (!visit(node, reached)) return;
      for (let link = firstLink[node]; link < firstLink[node + 1]; link++) {
        search.reach(target[link], reached + latency[link]);
      }
    }
  }
}
