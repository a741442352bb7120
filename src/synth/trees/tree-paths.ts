/**
 * Paths in a forest that changes little by little: each tree is rooted anew after it has changed, and what has been walked once in a search is
 * skipped from then on (Roskind and Tarjan, "A note on finding minimum-cost edge-disjoint spanning trees", 1985), so that a search takes
 * about as long as the forest has edges, however many paths are asked for.
 */

/** A tree, or several, as who keeps them sees them: at each rank the edges there, and where these lead. */
export interface Edges {
  /** Numbers of the edges at each rank. */
  readonly at: readonly (readonly number[])[];
  /** The other end of an edge. */
  other(edge: number, rank: number): number;
}

export class TreePaths {
  private readonly edges: Edges;
  /** Of each rank: the rank above, the edge that leads there, how far down it is, and the topmost one. */
  private readonly above: Int32Array;
  private readonly edgeUp: Int32Array;
  private readonly depth: Int32Array;
  private readonly root: Int32Array;
  /** The rank above each up to which everything has been walked, or one on the way there. */
  private readonly skipTo: Int32Array;
  private isRooted = false;

  constructor(edges: Edges) {
    this.edges = edges;
    const ranks = edges.at.length;
    this.above = new Int32Array(ranks);
    this.edgeUp = new Int32Array(ranks);
    this.depth = new Int32Array(ranks);
    this.root = new Int32Array(ranks);
    this.skipTo = new Int32Array(ranks);
  }

  /** The edges are others than before. */
  changed(): void {
    this.isRooted = false;
  }

  /** A search begins: nothing has been walked. */
  begin(): void {
    if (!this.isRooted) this.rootAll();
    for (let rank = 0; rank < this.skipTo.length; rank++) this.skipTo[rank] = rank;
  }

  /** The edges on the path between two ranks that no path of this search had, from the second rank on; undefined where none joins them. */
  walk(from: number, to: number): number[] | undefined {
    if (this.root[from] !== this.root[to]) return undefined;
    const [last, first]: [number[], number[]] = [[], []];
    let [a, b] = [this.topOf(from), this.topOf(to)];
    while (a !== b) {
      if (this.depth[a] > this.depth[b]) a = this.climb(a, last);
      else b = this.climb(b, first);
    }
    return [...first, ...last.reverse()];
  }

  private climb(rank: number, walked: number[]): number {
    walked.push(this.edgeUp[rank]);
    this.skipTo[rank] = this.above[rank];
    return this.topOf(rank);
  }

  private topOf(rank: number): number {
    const { skipTo } = this;
    let top = rank;
    while (skipTo[top] !== top) top = skipTo[top];
    for (let at = rank; at !== top; ) {
      const next = skipTo[at];
      skipTo[at] = top;
      at = next;
    }
    return top;
  }

  private rootAll(): void {
    this.root.fill(-1);
    for (let rank = 0; rank < this.root.length; rank++) if (this.root[rank] === -1) this.rootAt(rank);
    this.isRooted = true;
  }

  private rootAt(root: number): void {
    const { above, edgeUp, depth, edges } = this;
    this.root[root] = root;
    depth[root] = 0;
    const reached = [root];
    for (const rank of reached) {
      for (const edge of edges.at[rank]) {
        const end = edges.other(edge, rank);
        if (this.root[end] !== -1) continue;
        this.root[end] = root;
        above[end] = rank;
        edgeUp[end] = edge;
        depth[end] = depth[rank] + 1;
        reached.push(end);
      }
    }
  }
}
