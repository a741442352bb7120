/** Roots for spanning trees: each at a rank where it costs least, in what is reduced there and in its height. */

import type { Connection, Forest } from '../trees/matroid-partition.ts';
import type { Tree, TreeEdge } from '../trees/pack.ts';
import { edgesFrom } from '../trees/two-way-trees.ts';

/**
 * The trees of a forest with their edges away from roots. A rank reduces what comes from its neighbours in a tree but the one
 * towards the root, so that roots reduce once more than others: they go where the fewest connections are used, the rank in the
 * middle of the tree first among equals.
 */
export function rootedTrees(forest: Forest, connections: readonly Connection[], ranks: number): Tree[] {
  const reduced = new Int32Array(ranks).fill(-forest.length);
  for (const tree of forest) {
    for (const connection of tree) {
      reduced[connections[connection].a]++;
      reduced[connections[connection].b]++;
    }
  }
  return forest.map((tree) => {
    const neighbours = neighboursIn(tree, connections, ranks);
    let best: { readonly root: number; readonly edges: readonly TreeEdge[]; readonly most: number } | undefined;
    for (let root = 0; root < ranks; root++) {
      const edges = edgesFrom(root, neighbours);
      const most = reduced.reduce((a, b, rank) => Math.max(a, rank === root ? b + 1 : b), 0);
      const isBetter =
        best === undefined || most < best.most || (most === best.most && heightOf(edges) < heightOf(best.edges));
      if (isBetter) best = { root, edges, most };
    }
    if (best === undefined) throw new Error('a tree has ranks');
    reduced[best.root]++;
    return { root: best.root, amount: 1, edges: best.edges };
  });
}

function heightOf(edges: readonly TreeEdge[]): number {
  return edges[edges.length - 1]?.depth ?? 0;
}

function neighboursIn(tree: readonly number[], connections: readonly Connection[], ranks: number): number[][] {
  const neighbours: number[][] = Array.from({ length: ranks }, () => []);
  for (const { a, b } of tree.map((connection) => connections[connection])) {
    neighbours[a].push(b);
    neighbours[b].push(a);
  }
  return neighbours;
}
