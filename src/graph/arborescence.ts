/**
 * The minimum-cost spanning arborescence from a root in a directed graph (Chu and Liu 1965; Edmonds 1967), in
 * O(nodes³).
 */

/**
 * @param cost by from · nodes + to; `Infinity` where there is no edge
 * @returns the predecessor of each node; −1 for the root. If the root does not reach all nodes there is no such tree,
 *   and at least one other node has −1 as well.
 */
export function cheapestArborescence(nodes: number, root: number, cost: Float64Array): Int32Array {
  const before = cheapestEntrances(nodes, root, cost);
  const cycle = cycleOf(before);
  return cycle === undefined ? before : throughCycle(nodes, root, cost, before, cycle);
}

function cheapestEntrances(nodes: number, root: number, cost: Float64Array): Int32Array {
  const before = new Int32Array(nodes).fill(-1);
  for (let to = 0; to < nodes; to++) {
    if (to === root) continue;
    let least = Number.POSITIVE_INFINITY;
    for (let from = 0; from < nodes; from++) {
      if (from === to || cost[from * nodes + to] >= least) continue;
      least = cost[from * nodes + to];
      before[to] = from;
    }
  }
  return before;
}

/** The nodes of a cycle among the chosen edges, if there is one. */
function cycleOf(before: Int32Array): readonly number[] | undefined {
  const walked = new Int32Array(before.length);
  for (let start = 0; start < before.length; start++) {
    let node = start;
    while (node !== -1 && walked[node] === 0) {
      walked[node] = start + 1;
      node = before[node];
    }
    if (node === -1 || walked[node] !== start + 1) continue;
    const cycle = [node];
    for (let next = before[node]; next !== node; next = before[next]) cycle.push(next);
    return cycle;
  }
  return undefined;
}

/**
 * Contracts the cycle to one node. An edge into it costs what it costs more than the edge of the cycle that it
 * replaces.
 */
function throughCycle(
  nodes: number,
  root: number,
  cost: Float64Array,
  before: Int32Array,
  cycle: readonly number[],
): Int32Array {
  const isInside = new Uint8Array(nodes);
  for (const node of cycle) isInside[node] = 1;
  const outside = Array.from({ length: nodes }, (_, node) => node).filter((node) => isInside[node] === 0);
  const ring = outside.length;
  const place = new Int32Array(nodes).fill(ring);
  for (const [index, node] of outside.entries()) place[node] = index;
  const size = ring + 1;
  const smaller = new Float64Array(size * size).fill(Number.POSITIVE_INFINITY);
  /** The original edge of each edge of the contracted graph. */
  const edgeOf = new Int32Array(size * size);
  for (let from = 0; from < nodes; from++) {
    for (let to = 0; to < nodes; to++) {
      if (place[from] === place[to]) continue;
      const saved = isInside[to] === 1 ? cost[before[to] * nodes + to] : 0;
      const edge = place[from] * size + place[to];
      if (cost[from * nodes + to] - saved >= smaller[edge]) continue;
      smaller[edge] = cost[from * nodes + to] - saved;
      edgeOf[edge] = from * nodes + to;
    }
  }
  const inner = cheapestArborescence(size, place[root], smaller);
  const whole = Int32Array.from(before, (from, node) => (isInside[node] === 1 ? from : -1));
  // No edge leads into the cycle from the root: what remains of it is no part of a tree.
  if (inner[ring] === -1) for (const node of cycle) whole[node] = -1;
  for (let to = 0; to < size; to++) {
    if (inner[to] === -1) continue;
    const edge = edgeOf[inner[to] * size + to];
    whole[edge % nodes] = Math.floor(edge / nodes);
  }
  return whole;
}
