/**
 * Packing spanning out-trees into capacities. Trees grow edge by edge, many equal ones at a time; an edge is taken for as
 * many of them as leave enough capacity for the rest, which one maximum flow tells (Bérczi and Frank, "Packing
 * arborescences", 2010; Schrijver, "Combinatorial Optimization", §53.10; batches as in Zhao et al., "ForestColl", 2024).
 */
import { FlowNetwork, unlimited } from '../../cost/index.ts';
import type { TreeProblem } from './scale.ts';

/** Equal trees of one root. */
export interface Tree {
  readonly root: number;
  /** How many there are. */
  readonly amount: number;
  /** In an order in which every edge starts at the root or where an earlier one ends. */
  readonly edges: readonly TreeEdge[];
}

export interface TreeEdge {
  readonly from: number;
  readonly to: number;
  /** 1 for edges from the root. */
  readonly depth: number;
}

/**
 * Trees for every root that together use no edge beyond its capacity; edges near the root are taken first, so that trees
 * stay shallow. Undefined when they do not fit, or when there was no time.
 */
export function packTrees(problem: TreeProblem, shouldStop?: () => boolean): readonly Tree[] | undefined {
  const capacity = problem.graph.capacity.slice();
  const trees: Tree[] = [];
  for (const index of problem.roots.keys()) {
    if (shouldStop?.() === true) return undefined;
    const own = new RootPacking(problem, capacity, index).run();
    if (own === undefined) return undefined;
    trees.push(...own);
  }
  return trees;
}

/** Equal trees while they grow. Nodes are looked at in the order in which they joined, which is by depth. */
interface Batch {
  amount: number;
  readonly joined: number[];
  /** Depth of each node, −1 outside the trees. */
  readonly depth: Int32Array;
  readonly edges: TreeEdge[];
  /** The node in `joined` whose edges are being looked at. */
  cursor: number;
  /** Ends of edges from the node at the cursor that cannot be used. A set with no room to spare never gets any. */
  blocked: Set<number>;
}

/** The trees of one root, while the roots after it still need room for theirs. */
class RootPacking {
  private readonly root: number;
  private readonly ranks: number;
  private readonly trees: number;
  /** What is left; shared with the roots that follow. */
  private readonly capacity: Float64Array;
  private readonly network: FlowNetwork;
  private readonly source: number;
  /** Arcs of the network: of edges, by from · N + to (−1 for none), and from the source to chips. */
  private readonly edgeArc: Int32Array;
  private readonly sourceArc: Int32Array;
  private readonly waiting: WaitingBatches;
  /** What later roots and waiting batches of this one still have to spread. */
  private demand: number;

  constructor({ graph, roots, trees }: TreeProblem, capacity: Float64Array, index: number) {
    this.root = roots[index];
    this.ranks = graph.chips;
    this.trees = trees;
    this.capacity = capacity;
    this.network = new FlowNetwork(graph.chips + 1 + trees);
    this.source = graph.chips;
    this.edgeArc = Int32Array.from(capacity, (amount, edge) =>
      amount === 0 ? -1 : this.network.add(Math.floor(edge / this.ranks), edge % this.ranks, amount),
    );
    this.sourceArc = Int32Array.from({ length: this.ranks }, (_, chip) => this.network.add(this.source, chip, 0));
    for (const later of roots.slice(index + 1)) this.network.setCapacity(this.sourceArc[later], trees);
    this.demand = (roots.length - index - 1) * trees;
    this.waiting = new WaitingBatches(this.network, this.source, this.ranks);
  }

  run(): Tree[] | undefined {
    const done: Tree[] = [];
    let batch: Batch | undefined = sprout(this.root, this.trees, this.ranks);
    while (batch !== undefined) {
      while (batch.joined.length < this.ranks) {
        const rest = this.grow(batch);
        if (rest === 'stuck') return undefined;
        if (rest === undefined) continue;
        this.waiting.add(rest);
        this.demand += rest.amount;
      }
      done.push({ root: this.root, amount: batch.amount, edges: batch.edges });
      batch = this.waiting.take();
      this.demand -= batch?.amount ?? 0;
    }
    return done;
  }

  /** Adds one edge to the trees. Where only some of them can have it, the rest are a batch of their own. */
  private grow(batch: Batch): Batch | undefined | 'stuck' {
    for (; batch.cursor < batch.joined.length; batch.cursor++, batch.blocked = new Set()) {
      const from = batch.joined[batch.cursor];
      for (let to = this.widest(batch, from); to !== -1; to = this.widest(batch, from)) {
        const amount = this.spare(from, to, batch.amount);
        if (amount === 0) {
          batch.blocked.add(to);
          continue;
        }
        const rest = amount === batch.amount ? undefined : splitOff(batch, amount, to);
        this.use(batch, from, to);
        return rest;
      }
    }
    return 'stuck';
  }

  /** The end of the widest edge out of the trees from a node, or −1. */
  private widest({ depth, blocked }: Batch, from: number): number {
    let best = -1;
    let most = 0;
    for (let shift = 1; shift < this.ranks; shift++) {
      const to = (from + shift) % this.ranks;
      const amount = this.capacity[from * this.ranks + to];
      if (amount <= most || depth[to] >= 0 || blocked.has(to)) continue;
      best = to;
      most = amount;
    }
    return best;
  }

  /**
   * For how many trees of a batch an edge can be used: what flows from its start, and from all that is still to be spread,
   * to its end beyond the latter.
   */
  private spare(from: number, to: number, amount: number): number {
    const { network, sourceArc, demand } = this;
    const most = Math.min(amount, this.capacity[from * this.ranks + to]);
    const before = network.capacity(sourceArc[from]);
    network.setCapacity(sourceArc[from], unlimited);
    const flow = network.maxFlow(this.source, to, demand + most);
    network.setCapacity(sourceArc[from], before);
    return Math.max(0, flow - demand);
  }

  private use(batch: Batch, from: number, to: number): void {
    const edge = from * this.ranks + to;
    this.capacity[edge] -= batch.amount;
    this.network.setCapacity(this.edgeArc[edge], this.capacity[edge]);
    batch.depth[to] = batch.depth[from] + 1;
    batch.joined.push(to);
    batch.edges.push({ from, to, depth: batch.depth[to] });
  }
}

function sprout(root: number, amount: number, ranks: number): Batch {
  const depth = new Int32Array(ranks).fill(-1);
  depth[root] = 0;
  return { amount, joined: [root], depth, edges: [], cursor: 0, blocked: new Set() };
}

/** Leaves so many trees in a batch; the others, which cannot have the edge to a node, are returned. */
function splitOff(batch: Batch, amount: number, to: number): Batch {
  const rest: Batch = {
    amount: batch.amount - amount,
    joined: [...batch.joined],
    depth: batch.depth.slice(),
    edges: [...batch.edges],
    cursor: batch.cursor,
    blocked: new Set([...batch.blocked, to]),
  };
  batch.amount = amount;
  return rest;
}

/** Batches of a root that are yet to grow: what they have to spread flows from any node of their trees. */
class WaitingBatches {
  private readonly network: FlowNetwork;
  private readonly source: number;
  private readonly firstNode: number;
  private readonly batches: { readonly batch: Batch; readonly arcs: readonly number[] }[] = [];
  private used = 0;

  constructor(network: FlowNetwork, source: number, ranks: number) {
    this.network = network;
    this.source = source;
    this.firstNode = ranks + 1;
  }

  add(batch: Batch): void {
    const node = this.firstNode + this.used++;
    const arcs = [
      this.network.add(this.source, node, batch.amount),
      ...batch.joined.map((member) => this.network.add(node, member, unlimited)),
    ];
    this.batches.push({ batch, arcs });
  }

  take(): Batch | undefined {
    const next = this.batches.pop();
    for (const arc of next?.arcs ?? []) this.network.setCapacity(arc, 0);
    return next?.batch;
  }
}
