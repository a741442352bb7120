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
  const around = connectionsAround(ranks, connections.keys(), connections);
  const forest = Array.from({ length: trees }, (_, index) =>
    grownFrom(Math.floor((index * ranks) / trees), around, connections, spare),
  );
  const edges = forest.reduce((sum, { size }) => sum + size, 0);
  for (let missing = trees * (ranks - 1) - edges; missing > 0; missing--) {
    if (shouldStop?.() === true || !augment(forest, ranks, connections, spare)) return undefined;
  }
  return forest.map((members) => [...members].sort((x, y) => x - y));
}

/** Of each rank, those of some connections that end there. */
function connectionsAround(ranks: number, some: Iterable<number>, connections: readonly Connection[]): number[][] {
  const around: number[][] = Array.from({ length: ranks }, () => []);
  for (const connection of some) {
    around[connections[connection].a].push(connection);
    around[connections[connection].b].push(connection);
  }
  return around;
}

function otherEnd({ a, b }: Connection, rank: number): number {
  return a === rank ? b : a;
}

/** A tree that has grown breadth-first over the connections with most room, of which it takes: shallow, but perhaps not to all ranks. */
function grownFrom(
  start: number,
  around: readonly (readonly number[])[],
  connections: readonly Connection[],
  spare: number[],
): Set<number> {
  const members = new Set<number>();
  const reached = new Set([start]);
  for (const rank of reached) {
    const outward = around[rank].filter((c) => spare[c] > 0).sort((x, y) => spare[y] - spare[x] || x - y);
    for (const connection of outward) {
      const end = otherEnd(connections[connection], rank);
      if (reached.has(end)) continue;
      reached.add(end);
      members.add(connection);
      spare[connection]--;
    }
  }
  return members;
}

/** How a copy of a connection gets free: another one takes its place in a tree. */
interface Exchange {
  readonly incoming: number;
  readonly members: Set<number>;
}

/** One edge more in all, by as few exchanges as possible; false if there is no way. */
function augment(
  forest: readonly Set<number>[],
  ranks: number,
  connections: readonly Connection[],
  spare: number[],
): boolean {
  const freedBy = new Map<number, Exchange | undefined>();
  for (const [connection, left] of spare.entries()) if (left > 0) freedBy.set(connection, undefined);
  const trees = forest.map((members) => ({ members, rooted: new RootedTree(ranks, members, connections) }));
  for (const incoming of freedBy.keys()) {
    for (const { members, rooted } of trees) {
      if (members.has(incoming)) continue;
      const path = rooted.walk(connections[incoming]);
      if (path === undefined) {
        spare[exchange({ incoming, members }, freedBy)]--;
        return true;
      }
      for (const outgoing of path) if (!freedBy.has(outgoing)) freedBy.set(outgoing, { incoming, members });
    }
  }
  return false;
}

/** Puts a connection into a tree, and what had to make room for it into its place, back to one with a copy to spare: that is the result. */
function exchange(last: Exchange, freedBy: ReadonlyMap<number, Exchange | undefined>): number {
  for (let { incoming, members } = last; ; ) {
    const by = freedBy.get(incoming);
    by?.members.delete(incoming);
    members.add(incoming);
    if (by === undefined) return incoming;
    ({ incoming, members } = by);
  }
}

/** A tree, or several that do not span all ranks yet. What has been walked once is skipped, so that all paths take about as long as the tree has edges. */
class RootedTree {
  /** Of each rank: the rank above (itself at the top), the edge that leads there, and how far down it is. */
  private readonly above: Int32Array;
  private readonly edgeUp: Int32Array;
  private readonly depth: Int32Array;
  /** The topmost rank of its tree. */
  private readonly top: Int32Array;
  /** Itself, or a rank above up to which everything has been walked. */
  private readonly skipTo: Int32Array;

  constructor(ranks: number, members: Iterable<number>, connections: readonly Connection[]) {
    this.above = Int32Array.from({ length: ranks }, (_, rank) => rank);
    this.skipTo = this.above.slice();
    this.edgeUp = new Int32Array(ranks);
    this.depth = new Int32Array(ranks);
    this.top = new Int32Array(ranks).fill(-1);
    const around = connectionsAround(ranks, members, connections);
    for (let top = 0; top < ranks; top++) {
      if (this.top[top] !== -1) continue;
      this.top[top] = top;
      const reached = [top];
      for (const rank of reached) {
        for (const edge of around[rank]) {
          const end = otherEnd(connections[edge], rank);
          if (this.top[end] !== -1) continue;
          this.top[end] = top;
          this.above[end] = rank;
          this.edgeUp[end] = edge;
          this.depth[end] = this.depth[rank] + 1;
          reached.push(end);
        }
      }
    }
  }

  /** The edges between the ends of a connection that no path has had before; undefined where none joins them. */
  walk({ a, b }: Connection): number[] | undefined {
    if (this.top[a] !== this.top[b]) return undefined;
    const walked: number[] = [];
    for (let [x, y] = [this.notWalked(a), this.notWalked(b)]; x !== y; ) {
      const lower = this.depth[x] > this.depth[y] ? x : y;
      walked.push(this.edgeUp[lower]);
      this.skipTo[lower] = this.above[lower];
      [x, y] = [this.notWalked(x), this.notWalked(y)];
    }
    return walked;
  }

  /** The nearest rank, from one up, from which the edge above has not been walked. */
  private notWalked(rank: number): number {
    const { skipTo } = this;
    let at = rank;
    while (skipTo[at] !== at) {
      skipTo[at] = skipTo[skipTo[at]];
      at = skipTo[at];
    }
    return at;
  }
}
