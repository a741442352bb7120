/** Equal trees of one root while they grow. */

export interface TreeEdge {
  readonly from: number;
  readonly to: number;
  /** 1 for edges from the root. */
  readonly depth: number;
}

/** Nodes are looked at in the order in which they joined; since that is by depth, trees stay as shallow as they can. */
export interface Batch {
  readonly root: number;
  /** How many trees there are. */
  amount: number;
  readonly joined: number[];
  /** Depth of each node, −1 outside the trees. */
  readonly depth: Int32Array;
  readonly edges: TreeEdge[];
  /** The node in `joined` whose edges are being looked at. */
  cursor: number;
  /** Ends of edges from there that cannot be used. Where no capacity can be spared, it never can be again. */
  blocked: Set<number>;
}

/** Trees that are nothing but their root. */
export function sprout(root: number, amount: number, ranks: number): Batch {
  const depth = new Int32Array(ranks).fill(-1);
  depth[root] = 0;
  return { root, amount, joined: [root], depth, edges: [], cursor: 0, blocked: new Set() };
}

/** Leaves so many trees in a batch; the others, which cannot have the edge to a node, become a batch of their own. */
export function splitOff(batch: Batch, amount: number, to: number): Batch {
  const rest: Batch = {
    root: batch.root,
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

/** Adds an edge to all trees of a batch. */
export function extend(batch: Batch, from: number, to: number): void {
  batch.depth[to] = batch.depth[from] + 1;
  batch.joined.push(to);
  batch.edges.push({ from, to, depth: batch.depth[to] });
}

/** Goes on to the next node when all edges of one have been looked at. */
export function advance(batch: Batch): void {
  batch.cursor++;
  batch.blocked = new Set();
}
