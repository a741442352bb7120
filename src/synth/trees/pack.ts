/**
 * Packs spanning out-trees into capacities. Trees grow edge by edge, many equal ones at a time (a batch); an edge is
 * taken for as many trees of the batch as leave enough capacity for the rest, which one maximum flow decides (Bérczi
 * and Frank, "Packing arborescences", 2010; Schrijver, "Combinatorial Optimization", §53.10; batches as in Zhao et al.,
 * "ForestColl", 2024).
 */
import { FlowNetwork, unlimited } from '../../graph/index.ts';
import { perOperation } from '../limits.ts';
import type { SpreadingRoot } from '../shares.ts';
import type { TreeProblem } from './scale.ts';

export interface TreeEdge {
  readonly from: number;
  readonly to: number;
  /** 1 for edges from the root. */
  readonly depth: number;
}

/** Equal trees of one root. */
export interface Tree {
  readonly root: number;
  /** How many trees there are. */
  readonly amount: number;
  /** In an order in which every edge starts at the root or at the end of an earlier edge. */
  readonly edges: readonly TreeEdge[];
}

/**
 * Packs trees for every root that together use no edge beyond its capacity. The shallowest tree grows next, so that no
 * root is left with long paths only. Undefined if they do not fit, or time is up.
 */
export function packTrees(problem: TreeProblem): readonly Tree[] | undefined {
  const stars = starsOf(problem);
  if (stars !== undefined) return stars;
  const packing = new Growth(problem);
  const done: Batch[] = [];
  for (let batch = packing.leastGrown(); batch !== undefined; batch = packing.leastGrown()) {
    if (!packing.grow(batch) || problem.shouldStop?.(packing.newWork() / perOperation.arcsOfFlows) === true)
      return undefined;
    if (batch.joined.length < problem.graph.chips) continue;
    packing.remove(batch);
    done.push(batch);
  }
  done.sort((a, b) => a.root - b.root);
  return done.map(({ root, amount, edges }) => ({ root, amount, edges }));
}

/** Stars: every root sends directly to all ranks, if there is capacity for that. */
function starsOf({ graph: { chips, capacity }, roots, trees }: TreeProblem): Tree[] | undefined {
  const ends = Array.from({ length: chips }, (_, chip) => chip);
  const lacks = ({ rank, share }: SpreadingRoot): boolean =>
    ends.some((to) => to !== rank && capacity[rank * chips + to] < share * trees);
  if (roots.some(lacks)) return undefined;
  return roots.map(({ rank, share }) => {
    const edges = ends.filter((to) => to !== rank).map((to) => ({ from: rank, to, depth: 1 }));
    return { root: rank, amount: share * trees, edges };
  });
}

/**
 * Equal trees while they grow. Nodes are scanned in the order in which they joined, which is by depth, so trees stay as
 * shallow as possible.
 */
interface Batch {
  readonly root: number;
  amount: number;
  readonly joined: number[];
  /** Depth of each node, −1 outside the trees. */
  readonly depth: Int32Array;
  readonly edges: TreeEdge[];
  /** The node in `joined` whose edges are being scanned. */
  cursor: number;
  /** Ends of edges from that node that cannot be used. An edge without spare capacity never regains any. */
  blocked: Set<number>;
  /**
   * In the flow network: the node of the batch, its arc to the common end of all flows, and the arcs from each rank in
   * `joined`.
   */
  readonly node: number;
  readonly arc: number;
  readonly arcs: number[];
}

/** Incomplete trees, and the remaining capacities. */
class Growth {
  private readonly growing: Batch[] = [];
  private readonly ranks: number;
  /** By from · N + to. */
  private readonly capacity: Float64Array;
  /**
   * Flows are computed backwards, from the rank that is to receive something to the batches that send it, which are
   * usually near.
   */
  private readonly network: FlowNetwork;
  /**
   * By edge: its arc. By rank: the arc to the common end, with capacity for the trees for which an edge from there is
   * tested.
   */
  private readonly arcs: Int32Array;
  private readonly asking: readonly number[];
  private readonly end: number;
  private nodes: number;
  private toldWork = 0;

  constructor({ graph: { chips, capacity }, roots, trees }: TreeProblem) {
    this.ranks = chips;
    this.nodes = chips;
    this.capacity = capacity.slice();
    // There are never more batches than trees.
    this.end = chips + roots.reduce((sum, { share }) => sum + share * trees, 0);
    this.network = new FlowNetwork(this.end + 1);
    this.asking = Array.from({ length: chips }, (_, rank) => this.network.add(rank, this.end, 0));
    this.arcs = new Int32Array(chips * chips);
    for (let a = 0; a < chips; a++) {
      for (let b = a + 1; b < chips; b++) {
        const [there, back] = [a * chips + b, b * chips + a];
        if (capacity[there] === 0 && capacity[back] === 0) continue;
        this.arcs[back] = this.network.add(a, b, capacity[back], capacity[there]);
        this.arcs[there] = this.arcs[back] + 1;
      }
    }
    for (const { rank, share } of roots) {
      const depth = new Int32Array(chips).fill(-1);
      depth[rank] = 0;
      this.add({ root: rank, amount: share * trees, joined: [rank], depth, edges: [], cursor: 0, blocked: new Set() });
    }
  }

  /**
   * The batch whose next edges are nearest to its root, ties to the one with the fewest nodes; undefined when all are
   * complete.
   */
  leastGrown(): Batch | undefined {
    const depth = ({ depth: depths, joined, cursor }: Batch): number => depths[joined[cursor]];
    let least: Batch | undefined;
    for (const batch of this.growing) {
      const closer = least === undefined ? -1 : depth(batch) - depth(least);
      const isSmaller = least !== undefined && batch.joined.length < least.joined.length;
      if (closer < 0 || (closer === 0 && isSmaller)) least = batch;
    }
    return least;
  }

  /**
   * Adds one edge to the trees of a batch; if only some of them can have it, the others become a batch of their own.
   * False if none can.
   */
  grow(batch: Batch): boolean {
    for (; batch.cursor < batch.joined.length; batch.cursor++, batch.blocked = new Set()) {
      const from = batch.joined[batch.cursor];
      for (let to = this.widest(batch, from); to !== -1; to = this.widest(batch, from)) {
        const amount = this.spare(batch, from, to);
        if (amount === 0) {
          batch.blocked.add(to);
          continue;
        }
        if (amount < batch.amount) this.splitOff(batch, amount, to);
        const edge = from * this.ranks + to;
        this.capacity[edge] -= amount;
        this.network.setCapacity(this.arcs[edge], this.capacity[edge]);
        batch.arcs.push(this.network.add(to, batch.node, unlimited));
        batch.depth[to] = batch.depth[from] + 1;
        batch.joined.push(to);
        batch.edges.push({ from, to, depth: batch.depth[to] });
        return true;
      }
    }
    return false;
  }

  remove(batch: Batch): void {
    this.growing.splice(this.growing.indexOf(batch), 1);
    this.open(batch, false);
  }

  /** Arcs visited since the previous call. */
  newWork(): number {
    const since = this.network.work - this.toldWork;
    this.toldWork = this.network.work;
    return since;
  }

  /** The end of the widest edge that leaves the trees from a node, or −1; ties rotate. */
  private widest({ depth, blocked }: Batch, from: number): number {
    let [best, most] = [-1, 0];
    for (let shift = 1; shift < this.ranks; shift++) {
      const to = (from + shift) % this.ranks;
      const amount = this.capacity[from * this.ranks + to];
      if (amount > most && depth[to] < 0 && !blocked.has(to)) [best, most] = [to, amount];
    }
    return best;
  }

  /** Leaves `amount` trees in a batch; the others, which cannot have the edge to a node, become a new batch. */
  private splitOff(batch: Batch, amount: number, to: number): void {
    this.add({
      ...batch,
      amount: batch.amount - amount,
      joined: [...batch.joined],
      depth: batch.depth.slice(),
      edges: [...batch.edges],
      blocked: new Set([...batch.blocked, to]),
    });
    batch.amount = amount;
  }

  private add(batch: Omit<Batch, 'node' | 'arc' | 'arcs'>): void {
    const node = this.nodes++;
    const arcs = batch.joined.map((rank) => this.network.add(rank, node, unlimited));
    this.growing.push({ ...batch, node, arc: this.network.add(node, this.end, 0), arcs });
  }

  /** Enables or disables a batch as a source of flow. */
  private open({ amount, arc, arcs }: Batch, isOpen: boolean): void {
    this.network.setCapacity(arc, isOpen ? amount : 0);
    for (const each of arcs) this.network.setCapacity(each, isOpen ? unlimited : 0);
  }

  /**
   * For how many trees of a batch an edge can be used such that all remaining trees stay possible: each batch must be
   * able to send its amount from its nodes to every node outside. Computed as the flow from the edge's start and all
   * other batches to the edge's end, minus what the others need.
   */
  private spare(batch: Batch, from: number, to: number): number {
    const most = Math.min(batch.amount, this.capacity[from * this.ranks + to]);
    let needed = 0;
    for (const other of this.growing) {
      // Trees that contain the node already need nothing there.
      const isOpen = other !== batch && other.depth[to] === -1;
      this.open(other, isOpen);
      if (isOpen) needed += other.amount;
    }
    this.network.setCapacity(this.asking[from], most);
    const arriving = this.network.maxFlow(to, this.end, needed + most);
    this.network.setCapacity(this.asking[from], 0);
    return Math.max(0, arriving - needed);
  }
}
