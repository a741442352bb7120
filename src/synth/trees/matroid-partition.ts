/**
 * Spanning trees whose edges are used both ways: contributions are reduced up each, and the result is sent down again. As many
 * fit as the tightest partition of the ranks allows (Tutte 1961, Nash-Williams 1961); they are found by matroid partition:
 * an edge that closes a cycle takes the place of one that another tree has room for (Edmonds 1965; Roskind and Tarjan 1985).
 */

import { TreePaths } from './tree-paths.ts';

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
  const partition = new Partition(ranks, connections, trees);
  partition.growBreadthFirst();
  while (!partition.isComplete()) {
    if (shouldStop?.() === true || !partition.augment()) return undefined;
  }
  return partition.forest();
}

/** How a copy of a connection gets free: another one takes its place in a tree. */
interface Exchange {
  readonly incoming: number;
  readonly tree: number;
}

class Partition {
  private readonly ranks: number;
  private readonly connections: readonly Connection[];
  /** Of each tree, the connections at each rank. */
  private readonly members: Set<number>[];
  private readonly at: number[][][];
  private readonly paths: readonly TreePaths[];
  /** All connections at each rank. */
  private readonly around: number[][];
  private readonly spare: number[];
  private missing: number;

  constructor(ranks: number, connections: readonly Connection[], trees: number) {
    this.ranks = ranks;
    this.connections = connections;
    this.members = Array.from({ length: trees }, () => new Set());
    this.at = Array.from({ length: trees }, () => Array.from({ length: ranks }, () => []));
    const other = (connection: number, node: number): number => this.other(connection, node);
    this.paths = this.at.map((at) => new TreePaths({ at, other }));
    this.around = Array.from({ length: ranks }, () => []);
    for (const [connection, { a, b }] of connections.entries()) {
      this.around[a].push(connection);
      this.around[b].push(connection);
    }
    this.spare = connections.map(({ capacity }) => capacity);
    this.missing = trees * (ranks - 1);
  }

  isComplete(): boolean {
    return this.missing === 0;
  }

  forest(): Forest {
    return this.members.map((members) => [...members].sort((x, y) => x - y));
  }

  /** Trees grown breadth-first from different ranks, over the connections with most room: shallow, but perhaps incomplete. */
  growBreadthFirst(): void {
    for (const tree of this.members.keys()) {
      const start = Math.floor((tree * this.ranks) / this.members.length);
      const reached = new Set([start]);
      for (const node of reached) {
        const outward = this.around[node]
          .filter((c) => this.spare[c] > 0 && !reached.has(this.other(c, node)))
          .sort((x, y) => this.spare[y] - this.spare[x] || x - y);
        for (const connection of outward) {
          const end = this.other(connection, node);
          if (reached.has(end)) continue;
          reached.add(end);
          this.insert(connection, tree);
          this.spare[connection]--;
          this.missing--;
        }
      }
    }
  }

  /** One edge more in all, by as few exchanges as possible; false if there is no way. */
  augment(): boolean {
    const freedBy = new Map<number, Exchange | undefined>();
    for (const [connection, left] of this.spare.entries()) if (left > 0) freedBy.set(connection, undefined);
    for (const paths of this.paths) paths.begin();
    for (const incoming of freedBy.keys()) {
      for (const [tree, members] of this.members.entries()) {
        if (members.has(incoming)) continue;
        const { a, b } = this.connections[incoming];
        const path = this.paths[tree].walk(a, b);
        if (path === undefined) {
          this.exchange(incoming, tree, freedBy);
          return true;
        }
        for (const outgoing of path) if (!freedBy.has(outgoing)) freedBy.set(outgoing, { incoming, tree });
      }
    }
    return false;
  }

  /** Puts a connection into a tree, and what had to make room for it into its place, back to one with a copy to spare. */
  private exchange(last: number, into: number, freedBy: ReadonlyMap<number, Exchange | undefined>): void {
    let [connection, tree] = [last, into];
    for (;;) {
      const by = freedBy.get(connection);
      if (by !== undefined) this.remove(connection, by.tree);
      this.insert(connection, tree);
      if (by === undefined) break;
      [connection, tree] = [by.incoming, by.tree];
    }
    this.spare[connection]--;
    this.missing--;
  }

  private insert(connection: number, tree: number): void {
    const { a, b } = this.connections[connection];
    this.members[tree].add(connection);
    this.at[tree][a].push(connection);
    this.at[tree][b].push(connection);
    this.paths[tree].changed();
  }

  private remove(connection: number, tree: number): void {
    const { a, b } = this.connections[connection];
    this.members[tree].delete(connection);
    for (const end of [a, b]) {
      const there = this.at[tree][end];
      there.splice(there.indexOf(connection), 1);
    }
    this.paths[tree].changed();
  }

  private other(connection: number, node: number): number {
    const { a, b } = this.connections[connection];
    return a === node ? b : a;
  }
}
