/**
 * Spanning trees whose edges are used both ways: contributions are reduced up each, and the result is sent down again. As many
 * fit as the tightest partition of the ranks allows (Tutte 1961, Nash-Williams 1961); they are found by matroid partition:
 * an edge that closes a cycle takes the place of one that another tree has room for (Edmonds 1965; Roskind and Tarjan, "A note
 * on finding minimum-cost edge-disjoint spanning trees", 1985).
 */

/** A connection between two ranks that can be used by so many trees, both ways at once. */
export interface Connection {
  readonly a: number;
  readonly b: number;
  readonly capacity: number;
}

/** Numbers of connections that make up each tree. */
export type Forest = readonly (readonly number[])[];

/** So many spanning trees, or undefined where no more fit or the search was ended. */
export function packTwoWayTrees(
  ranks: number,
  connections: readonly Connection[],
  trees: number,
  shouldStop?: () => boolean,
): Forest | undefined {
  const spare = connections.map(({ capacity }) => capacity);
  const around: number[][] = Array.from({ length: ranks }, () => []);
  for (const [connection, { a, b }] of connections.entries()) {
    around[a].push(connection);
    around[b].push(connection);
  }
  const growing = Array.from({ length: trees }, () => new GrowingTree(connections, around));
  for (const [index, tree] of growing.entries()) {
    for (const connection of tree.growFrom(Math.floor((index * ranks) / trees), spare)) spare[connection]--;
  }
  const edges = growing.reduce((sum, { members }) => sum + members.size, 0);
  for (let missing = trees * (ranks - 1) - edges; missing > 0; missing--) {
    if (shouldStop?.() === true || !augment(growing, spare)) return undefined;
  }
  return growing.map(({ members }) => [...members].sort((x, y) => x - y));
}

/** How a copy of a connection gets free: another one takes its place in a tree. */
interface Exchange {
  readonly incoming: number;
  readonly tree: GrowingTree;
}

/** One edge more in all, by as few exchanges as possible; false if there is no way. */
function augment(trees: readonly GrowingTree[], spare: number[]): boolean {
  const freedBy = new Map<number, Exchange | undefined>();
  for (const [connection, left] of spare.entries()) if (left > 0) freedBy.set(connection, undefined);
  for (const tree of trees) tree.beginSearch();
  for (const incoming of freedBy.keys()) {
    for (const tree of trees) {
      if (tree.members.has(incoming)) continue;
      const path = tree.walk(incoming);
      if (path === undefined) {
        spare[exchange({ incoming, tree }, freedBy)]--;
        return true;
      }
      for (const outgoing of path) if (!freedBy.has(outgoing)) freedBy.set(outgoing, { incoming, tree });
    }
  }
  return false;
}

/** Puts a connection into a tree, and what had to make room for it into its place, back to one with a copy to spare: that is the result. */
function exchange(last: Exchange, freedBy: ReadonlyMap<number, Exchange | undefined>): number {
  for (let { incoming, tree } = last; ; ) {
    const by = freedBy.get(incoming);
    by?.tree.remove(incoming);
    tree.insert(incoming);
    if (by === undefined) return incoming;
    ({ incoming, tree } = by);
  }
}

/**
 * A tree that does not span all ranks yet, or several. It is rooted anew after it has changed, and what has been walked once in a
 * search is skipped from then on, so that a search takes about as long as the tree has edges, however many paths are asked for.
 */
class GrowingTree {
  readonly members = new Set<number>();
  private readonly connections: readonly Connection[];
  /** Of each rank: all connections there, and those of the tree. */
  private readonly around: readonly (readonly number[])[];
  private readonly at: readonly number[][];
  /** Of each rank: the rank above, the edge that leads there, how far down it is, and the topmost one. */
  private readonly above: Int32Array;
  private readonly edgeUp: Int32Array;
  private readonly depth: Int32Array;
  private readonly root: Int32Array;
  /** The rank above each up to which everything has been walked, or one on the way there. */
  private readonly skipTo: Int32Array;

  constructor(connections: readonly Connection[], around: readonly (readonly number[])[]) {
    const ranks = around.length;
    this.connections = connections;
    this.around = around;
    this.at = around.map(() => []);
    this.above = new Int32Array(ranks);
    this.edgeUp = new Int32Array(ranks);
    this.depth = new Int32Array(ranks);
    this.root = new Int32Array(ranks);
    this.skipTo = new Int32Array(ranks);
  }

  insert(connection: number): void {
    const { a, b } = this.connections[connection];
    this.members.add(connection);
    this.at[a].push(connection);
    this.at[b].push(connection);
  }

  remove(connection: number): void {
    const { a, b } = this.connections[connection];
    this.members.delete(connection);
    for (const there of [this.at[a], this.at[b]]) there.splice(there.indexOf(connection), 1);
  }

  /** Grows breadth-first over the connections with most room, which it returns: shallow, but perhaps not to all ranks. */
  growFrom(start: number, spare: readonly number[]): Iterable<number> {
    const reached = new Set([start]);
    for (const rank of reached) {
      const outward = this.around[rank].filter((c) => spare[c] > 0).sort((x, y) => spare[y] - spare[x] || x - y);
      for (const connection of outward) {
        const end = this.other(connection, rank);
        if (reached.has(end)) continue;
        reached.add(end);
        this.insert(connection);
      }
    }
    return this.members;
  }

  /** A search begins: nothing has been walked. */
  beginSearch(): void {
    this.root.fill(-1);
    for (let rank = 0; rank < this.root.length; rank++) {
      this.skipTo[rank] = rank;
      if (this.root[rank] === -1) this.rootAt(rank);
    }
  }

  private rootAt(root: number): void {
    const { above, edgeUp, depth } = this;
    this.root[root] = root;
    depth[root] = 0;
    const reached = [root];
    for (const rank of reached) {
      for (const edge of this.at[rank]) {
        const end = this.other(edge, rank);
        if (this.root[end] !== -1) continue;
        this.root[end] = root;
        above[end] = rank;
        edgeUp[end] = edge;
        depth[end] = depth[rank] + 1;
        reached.push(end);
      }
    }
  }

  /** The edges between the ends of a connection that no path of this search had, from the second end on; undefined where none joins them. */
  walk(connection: number): number[] | undefined {
    let { a, b } = this.connections[connection];
    if (this.root[a] !== this.root[b]) return undefined;
    const [last, first]: [number[], number[]] = [[], []];
    [a, b] = [this.topOf(a), this.topOf(b)];
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

  private other(connection: number, rank: number): number {
    const { a, b } = this.connections[connection];
    return a === rank ? b : a;
  }
}
