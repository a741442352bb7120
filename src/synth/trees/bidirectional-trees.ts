/**
 * Trees for allreduce that are used in both directions: contributions are reduced upwards, and the result is broadcast
 * downwards.
 */
import type { ShouldStop } from '../../ir/effort.ts';
import { none } from '../../ir/none.ts';
import type { Topology } from '../../ir/topology.ts';
import { sumError } from '../../ir/units.ts';
import { maxRanksFor, perOperation } from '../limits.ts';
import type { Tree, TreeEdge } from './pack.ts';

/** Maximum trees: more are not worth their messages. */
const mostTrees = 32;

/**
 * Packs equal spanning trees over connections between neighbours, as few as carry the maximum (N − 1 connections each;
 * Nash-Williams 1961). With trees on all links about as many bytes cross each link as the minimum of 2(N − 1)M requires
 * (bounds/slots/message-count.ts), whatever links are missing, while a reducescatter and an allgather are limited by
 * the chip with the fewest links. Greedy: each tree takes the connections that are used least (Thorup 2007,
 * "Fully-dynamic min-cut"), and all trees are rebuilt when another one is added.
 * @returns the trees, or why there are none
 */
export function bidirectionalTrees(topology: Topology, shouldStop?: ShouldStop): readonly Tree[] | string {
  const ranks = topology.chips.length;
  if (topology.nodes.length > ranks) return 'switches are in between';
  if (ranks > maxRanksFor.cubes)
    return `packing trees both ways of more than ${maxRanksFor.cubes} ranks takes too long`;
  const uses = new Uses(topology);
  const forest: Tree[] = [];
  let best: { readonly trees: readonly Tree[]; readonly carried: number } = { trees: [], carried: 0 };
  while (forest.length < mostTrees && shouldStop?.(ranks ** 3 / perOperation.arcsOfFlows) !== true) {
    const all = Array.from({ length: ranks }, (_, root) => grownFrom(root, uses));
    forest.push(all.reduce((least, tree) => (heightOf(tree) < heightOf(least) ? tree : least)));
    uses.change(forest[forest.length - 1], 1);
    for (const [index, tree] of forest.entries()) {
      uses.change(tree, -1);
      forest[index] = grownFrom(tree.root, uses);
      uses.change(forest[index], 1);
    }
    const carried = forest.length / uses.most();
    if (carried > best.carried * (1 + sumError)) best = { trees: [...forest], carried };
  }
  return best.carried > 0 ? best.trees : 'connections both ways do not reach every chip, or there was no time';
}

/** Traffic between neighbours in both directions, and how many trees use it. */
class Uses {
  readonly ranks: number;
  /** By from · N + to, symmetric. */
  private readonly width: Float64Array;
  private readonly trees: Float64Array;

  constructor({ chips, links }: Topology) {
    this.ranks = chips.length;
    this.trees = new Float64Array(this.ranks ** 2);
    const rankOf = new Map(chips.map((chip, rank) => [chip, rank]));
    const there = new Float64Array(this.ranks ** 2);
    for (const { from, to, bandwidth } of links)
      there[this.at(rankOf.get(from) ?? 0, rankOf.get(to) ?? 0)] += bandwidth;
    this.width = there.map((width, at) =>
      Math.min(width, there[this.at(at % this.ranks, Math.floor(at / this.ranks))]),
    );
  }

  /** How long a connection is busy with one more tree; infinite if there is no connection. */
  withOneMore(from: number, to: number): number {
    const at = this.at(from, to);
    return (this.trees[at] + 1) / this.width[at];
  }

  change({ edges }: Tree, times: 1 | -1): void {
    for (const { from, to } of edges) {
      this.trees[this.at(from, to)] += times;
      this.trees[this.at(to, from)] += times;
    }
  }

  /** How long the busiest connection is busy. */
  most(): number {
    return this.trees.reduce((most, trees, at) => (trees > 0 ? Math.max(most, trees / this.width[at]) : most), 0);
  }

  private at(from: number, to: number): number {
    return from * this.ranks + to;
  }
}

/** The minimum spanning tree with respect to that load (Prim 1957); ties go to the rank nearest the root. */
function grownFrom(root: number, uses: Uses): Tree {
  const busy = new Float64Array(uses.ranks).fill(Number.POSITIVE_INFINITY);
  const depth = new Int32Array(uses.ranks);
  // Unreachable ranks are attached to the root over a connection of infinite load.
  const parent = new Int32Array(uses.ranks).fill(root);
  const outside = new Set(parent.keys());
  const isBefore = (a: number, b: number): boolean => busy[a] < busy[b] || (busy[a] === busy[b] && depth[a] < depth[b]);
  const edges: TreeEdge[] = [];
  for (let from = root; from !== none; ) {
    outside.delete(from);
    if (from !== root) edges.push({ from: parent[from], to: from, depth: depth[from] });
    let next = none;
    for (const to of outside) {
      const time = uses.withOneMore(from, to);
      if (time < busy[to] || (time === busy[to] && depth[from] + 1 < depth[to])) {
        busy[to] = time;
        depth[to] = depth[from] + 1;
        parent[to] = from;
      }
      if (next === none || isBefore(to, next)) next = to;
    }
    from = next;
  }
  return { root, amount: 1, edges };
}

function heightOf({ edges }: Tree): number {
  return edges.reduce((most, { depth }) => Math.max(most, depth), 0);
}
