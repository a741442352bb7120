/**
 * Lengths that prove how fast an allreduce can be at best, or what several groups of ranks do at once: the dual of packing trees that
 * span them. By multiplicative weights: take minimum spanning trees, make their links longer, and so on; links between parts that
 * bind grow longest. The parts that they leave give lengths of 0 and 1, which are looked at as well: for the right parts they are exact.
 */
import { DisjointSets } from '../../../ir/disjoint-sets.ts';
import type { Topology } from '../../../ir/topology.ts';
import { NearestFirst } from '../../nearest-first.ts';
import { type ProvingLengths, rounded } from './proving-lengths.ts';
import type { Span } from './spans.ts';

/** Links and ranks looked at in the search for trees, and as many again for parts. */
const searchWork = 2_000_000;
const mostTrees = 300;
/** Trees without better lengths before the search ends. */
const patience = 60;
const mostPartitions = 64;

/** Two nodes that some link joins, one way or both. */
interface Edge {
  readonly a: number;
  readonly b: number;
  /** Its links, in either direction. */
  readonly links: number[];
}

/** A tree that joins ranks, its links in the order in which parts become one. */
interface SpanningTree {
  readonly edges: ReadonlySet<number>;
  readonly joints: readonly { readonly a: number; readonly b: number; readonly length: number }[];
}

export class TreeLengths {
  private readonly topology: Topology;
  private readonly spans: readonly Span[];
  private readonly edges: readonly Edge[];
  private readonly edgesAt: readonly (readonly number[])[];
  private found: ProvingLengths | undefined;

  constructor(topology: Topology, spans: readonly Span[]) {
    const edges = new Map<number, Edge>();
    topology.links.forEach(({ from, to }, link) => {
      const [a, b] = [Math.min(from, to), Math.max(from, to)];
      const key = a * topology.nodes.length + b;
      const edge = edges.get(key) ?? { a, b, links: [] };
      edge.links.push(link);
      edges.set(key, edge);
    });
    this.topology = topology;
    this.spans = spans;
    this.edges = [...edges.values()];
    const edgesAt: number[][] = topology.nodes.map(() => []);
    this.edges.forEach(({ a, b }, edge) => {
      edgesAt[a].push(edge);
      edgesAt[b].push(edge);
    });
    this.edgesAt = edgesAt;
  }

  best(): ProvingLengths | undefined {
    const { links } = this.topology;
    if (this.spans.length === 0) return undefined;
    const trees = Math.min(mostTrees, Math.floor(searchWork / (8 * links.length * this.spans.length)));
    const lengths = Float64Array.from(links, () => 1);
    this.consider(lengths);
    for (let link = 0; link < links.length; link++) lengths[link] = 1 / links[link].bandwidth;
    this.consider(lengths);
    const uses = new Float64Array(links.length);
    for (let tree = 1, better = 0; tree <= trees && tree - better <= patience; tree++) {
      for (const { ranks, amount } of this.spans) {
        for (const edge of this.spanningTree(lengths, ranks).edges) {
          for (const link of this.edges[edge].links) uses[link] += amount;
        }
      }
      let busiest = 0;
      for (let link = 0; link < links.length; link++) busiest = Math.max(busiest, uses[link] / links[link].bandwidth);
      // The weights of all trees so far: links that more of them need than they can carry stand out ever more.
      const pace = Math.sqrt(tree) * 2;
      for (let link = 0; link < links.length; link++) {
        lengths[link] = Math.exp(pace * (uses[link] / links[link].bandwidth / busiest - 1)) / links[link].bandwidth;
      }
      if (tree % 10 === 0 && this.consider(lengths)) better = tree;
    }
    this.considerPartitions(lengths);
    return this.found;
  }

  /** Keeps these lengths, rounded, if they prove more than those before: then true. */
  private consider(lengths: ArrayLike<number>): boolean {
    const whole = rounded(lengths);
    let capacity = 0;
    this.topology.links.forEach(({ bandwidth }, link) => {
      capacity += whole[link] * bandwidth;
    });
    const distance = this.spannedLength(whole);
    const secondsPerByte = capacity === 0 ? 0 : distance / capacity;
    if (secondsPerByte <= (this.found?.secondsPerByte ?? 0) * (1 + 1e-9)) return false;
    this.found = { lengths: whole, distance, secondsPerByte };
    return true;
  }

  /**
   * Bytes times distance in all, for a message of one byte: of each span, at every length, the parts of its ranks that ways of that length
   * have not joined yet, less one. All ranks may pass on what is another's, so that ways lead over all of them.
   */
  private spannedLength(lengths: ArrayLike<number>): number {
    const { chips, nodes } = this.topology;
    const { joints } = this.spanningTree(lengths, [...chips.keys()]);
    const parts = new DisjointSets(nodes.length);
    let total = 0;
    let before = 0;
    for (const { a, b, length } of joints) {
      if (length > before) {
        for (const { ranks, amount } of this.spans) {
          const apart = new Set(ranks.map((rank) => parts.of(chips[rank]))).size - 1;
          total += amount * apart * (length - before);
        }
        before = length;
      }
      parts.join(a, b);
    }
    return total;
  }

  /** Of `spannedLength`: few spans have many ranks. */
  private workToSpan(): number {
    const { links, chips } = this.topology;
    if (this.spans.length === 1) return 8 * links.length;
    return 8 * links.length + chips.length * this.spans.reduce((sum, { ranks }) => sum + ranks.length, 0);
  }

  /** The parts that are left when all edges from some length on are cut, for every length. */
  private considerPartitions(lengths: Float64Array): void {
    const { nodes, links } = this.topology;
    const byLength = this.edges
      .map((_, edge) => edge)
      .sort((x, y) => this.weight(x, lengths) - this.weight(y, lengths));
    const parts = new DisjointSets(nodes.length);
    const joining = byLength.filter((edge) => parts.join(this.edges[edge].a, this.edges[edge].b));
    const most = Math.max(1, Math.min(mostPartitions, Math.floor(searchWork / this.workToSpan())));
    const stride = Math.ceil(joining.length / most);
    const grown = new DisjointSets(nodes.length);
    joining.forEach((edge, joined) => {
      if (joined % stride === 0) {
        this.consider(links.map(({ from, to }) => (grown.of(from) === grown.of(to) ? 0 : 1)));
      }
      grown.join(this.edges[edge].a, this.edges[edge].b);
    });
  }

  private weight(edge: number, lengths: ArrayLike<number>): number {
    let least = Number.POSITIVE_INFINITY;
    for (const link of this.edges[edge].links) least = Math.min(least, lengths[link]);
    return least;
  }

  /**
   * A minimum spanning tree of ranks, joined by shortest ways (Mehlhorn 1988): each node belongs to the nearest of their chips, and the
   * ways that cross from one chip's nodes to another's are enough.
   */
  private spanningTree(lengths: ArrayLike<number>, ranks: readonly number[]): SpanningTree {
    const { nodes, chips } = this.topology;
    const nearest = new Int32Array(nodes.length).fill(-1);
    const entry = new Int32Array(nodes.length).fill(-1);
    const search = new NearestFirst(nodes.length);
    for (const rank of ranks) {
      const chip = chips[rank];
      search.reach(chip, 0);
      nearest[chip] = chip;
    }
    for (let node = search.next(); node >= 0; node = search.next()) {
      for (const edge of this.edgesAt[node]) {
        const { a, b } = this.edges[edge];
        const to = a === node ? b : a;
        if (!search.reach(to, search.length[node] + this.weight(edge, lengths))) continue;
        nearest[to] = nearest[node];
        entry[to] = edge;
      }
    }
    return this.kruskal(lengths, search.length, nearest, entry);
  }

  private kruskal(
    lengths: ArrayLike<number>,
    distance: Float64Array,
    nearest: Int32Array,
    entry: Int32Array,
  ): SpanningTree {
    const length = this.edges.map(({ a, b }, edge) => distance[a] + this.weight(edge, lengths) + distance[b]);
    const order = this.edges.map((_, edge) => edge).filter((edge) => nearest[this.edges[edge].a] >= 0);
    order.sort((x, y) => length[x] - length[y]);
    const parts = new DisjointSets(this.topology.nodes.length);
    const edges = new Set<number>();
    const joints: { a: number; b: number; length: number }[] = [];
    for (const edge of order) {
      const { a, b } = this.edges[edge];
      if (!parts.join(nearest[a], nearest[b])) continue;
      joints.push({ a: nearest[a], b: nearest[b], length: length[edge] });
      edges.add(edge);
      for (let node of [a, b]) {
        while (entry[node] >= 0) {
          const way = this.edges[entry[node]];
          edges.add(entry[node]);
          node = way.a === node ? way.b : way.a;
        }
      }
    }
    return { edges, joints };
  }
}
