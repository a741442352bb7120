/**
 * Minimum spanning trees of ranks in the metric of shortest paths (Mehlhorn 1988): each node belongs to its nearest
 * chip (a Voronoi cell), and only paths that cross from one cell to another are candidate edges. A link counts in both
 * directions here, with the shorter of its two lengths.
 */

import { NearestFirst } from '../../graph/nearest-first.ts';
import { none } from '../../ir/none.ts';
import type { Topology } from '../../ir/topology.ts';

export class SpanningTrees {
  /** Pairs of nodes joined by a link are edges: by link the number of its edge, by edge its two ends. */
  readonly edgeOf: Int32Array;
  readonly ends: readonly (readonly [number, number])[];
  /** By edge: its length, and the length of the path over it between the two chips of its cells. */
  readonly weight: Float64Array;
  readonly length: Float64Array;
  /** By edge: 1 if the last tree contains it. */
  readonly isInTree: Uint8Array;
  private readonly topology: Topology;
  /** Edges at node n are `edgeAt[firstAt[n] … firstAt[n + 1] − 1]`, ascending, and lead to `nodeAt`. */
  private readonly firstAt: Int32Array;
  private readonly edgeAt: Int32Array;
  private readonly nodeAt: Int32Array;
  private readonly search: NearestFirst;
  /** By node: the chip to whose cell it belongs, and the edge over which it is reached from there. */
  private readonly owner: Int32Array;
  private readonly entry: Int32Array;
  /** The nodes of each cell as a linked list: by chip the first node, by node the next. */
  private readonly firstOwned: Int32Array;
  private readonly nextOwned: Int32Array;
  /** By chip outside the tree: the best edge to it. */
  private readonly best: Int32Array;
  private readonly isReached: Uint8Array;

  constructor(topology: Topology) {
    const count = topology.nodes.length;
    const ends: (readonly [number, number])[] = [];
    const at: (readonly [number, number])[][] = topology.nodes.map(() => []);
    const numbers = new Map<number, number>();
    this.edgeOf = Int32Array.from(topology.links, ({ from, to }) => {
      const [a, b] = from < to ? [from, to] : [to, from];
      const known = numbers.get(a * count + b);
      if (known !== undefined) return known;
      const edge = ends.push([a, b]) - 1;
      numbers.set(a * count + b, edge);
      at[a].push([edge, b]);
      at[b].push([edge, a]);
      return edge;
    });
    this.topology = topology;
    this.ends = ends;
    this.firstAt = new Int32Array(count + 1);
    for (let node = 0; node < count; node++) this.firstAt[node + 1] = this.firstAt[node] + at[node].length;
    this.edgeAt = Int32Array.from(at.flat(), ([edge]) => edge);
    this.nodeAt = Int32Array.from(at.flat(), ([, node]) => node);
    this.weight = new Float64Array(ends.length);
    this.length = new Float64Array(ends.length);
    this.isInTree = new Uint8Array(ends.length);
    this.search = new NearestFirst(count);
    this.owner = new Int32Array(count);
    this.entry = new Int32Array(count);
    this.firstOwned = new Int32Array(count);
    this.nextOwned = new Int32Array(count);
    this.best = new Int32Array(count);
    this.isReached = new Uint8Array(count);
  }

  /** @param lengths by link */
  setLengths(lengths: ArrayLike<number>): void {
    const { weight, edgeOf } = this;
    weight.fill(Number.POSITIVE_INFINITY);
    for (let link = 0; link < edgeOf.length; link++) {
      if (lengths[link] < weight[edgeOf[link]]) weight[edgeOf[link]] = lengths[link];
    }
  }

  /**
   * Computes the minimum spanning tree of these ranks, or one tree per connected component (Prim 1957); ties go to the
   * first edge.
   * @returns the edges that join two cells; `isInTree` also has those within cells
   */
  span(ranks: readonly number[]): number[] {
    this.findOwners(ranks);
    this.isInTree.fill(0);
    this.isReached.fill(0);
    this.best.fill(none);
    const { best } = this;
    const chips = ranks.map((rank) => this.topology.chips[rank]);
    const joints: number[] = [];
    for (const start of chips) {
      if (this.isReached[start] === 1) continue;
      this.reach(start);
      for (let chip = this.nearestOf(chips); chip !== none; chip = this.nearestOf(chips)) {
        joints.push(best[chip]);
        this.takeRoutes(best[chip]);
        this.reach(chip);
      }
    }
    return joints;
  }

  /** Whether the path over one edge is shorter than that over another; ties go to the lower number. */
  isBefore(edge: number, other: number): boolean {
    const { length } = this;
    return length[edge] < length[other] || (length[edge] === length[other] && edge < other);
  }

  /** The chips of the two cells that an edge joins. */
  ownersOf(edge: number): readonly [number, number] {
    const [a, b] = this.ends[edge];
    return [this.owner[a], this.owner[b]];
  }

  private findOwners(ranks: readonly number[]): void {
    const { search, owner, entry, firstOwned, nextOwned, weight, length, ends } = this;
    const { chips, nodes } = this.topology;
    owner.fill(none);
    entry.fill(none);
    search.clear();
    for (const rank of ranks) {
      search.reach(chips[rank], 0);
      owner[chips[rank]] = chips[rank];
    }
    if (ranks.length < nodes.length) this.findEntries();
    firstOwned.fill(none);
    for (let node = 0; node < nodes.length; node++) {
      if (owner[node] === none) continue;
      nextOwned[node] = firstOwned[owner[node]];
      firstOwned[owner[node]] = node;
    }
    for (let edge = 0; edge < length.length; edge++) {
      length[edge] = search.length[ends[edge][0]] + weight[edge] + search.length[ends[edge][1]];
    }
  }

  private findEntries(): void {
    const { search, owner, entry, firstAt, edgeAt, nodeAt, weight } = this;
    for (let node = search.next(); node >= 0; node = search.next()) {
      for (let at = firstAt[node]; at < firstAt[node + 1]; at++) {
        const to = nodeAt[at];
        if (!search.reach(to, search.length[node] + weight[edgeAt[at]])) continue;
        owner[to] = owner[node];
        entry[to] = edgeAt[at];
      }
    }
  }

  /** Adds a chip to the tree and updates the best edges to the others. */
  private reach(chip: number): void {
    const { isReached, owner, best, length, firstOwned, nextOwned, firstAt, edgeAt, nodeAt } = this;
    isReached[chip] = 1;
    best[chip] = none;
    for (let node = firstOwned[chip]; node !== none; node = nextOwned[node]) {
      for (let at = firstAt[node]; at < firstAt[node + 1]; at++) {
        const to = owner[nodeAt[at]];
        if (isReached[to] === 1) continue;
        const edge = edgeAt[at];
        const known = best[to];
        if (known === none || length[edge] < length[known] || (length[edge] === length[known] && edge < known)) {
          best[to] = edge;
        }
      }
    }
  }

  /** The nearest of the chips outside the tree; none if no path leads to any. */
  private nearestOf(chips: readonly number[]): number {
    const { best, length } = this;
    let nearest = none;
    let edge = none;
    let least = Number.POSITIVE_INFINITY;
    for (let index = 0; index < chips.length; index++) {
      const other = best[chips[index]];
      if (other === none || length[other] > least || (length[other] === least && other > edge)) continue;
      nearest = chips[index];
      edge = other;
      least = length[other];
    }
    return nearest;
  }

  /** Adds an edge to the tree, with the paths from its ends to their chips. */
  private takeRoutes(joint: number): void {
    const { ends, entry, isInTree } = this;
    isInTree[joint] = 1;
    for (let node of ends[joint]) {
      while (entry[node] !== none && isInTree[entry[node]] === 0) {
        isInTree[entry[node]] = 1;
        node = this.other(entry[node], node);
      }
    }
  }

  private other(edge: number, node: number): number {
    const [a, b] = this.ends[edge];
    return a === node ? b : a;
  }
}
