/**
 * The links of a machine as columns, indexed by the node that they leave or enter, for searches that visit many links.
 */
import type { Topology } from '../ir/topology.ts';

/** Links out of node n are `out[firstOut[n] … firstOut[n + 1] − 1]`, links into it `into[firstIn[n] …]`, ascending. */
export interface LinkColumns {
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** Bytes per second. */
  readonly bandwidth: Float64Array;
  readonly firstOut: Int32Array;
  readonly out: Int32Array;
  readonly firstIn: Int32Array;
  readonly into: Int32Array;
}

const known = new WeakMap<Topology, LinkColumns>();

export function linkColumns(topology: Topology): LinkColumns {
  let columns = known.get(topology);
  if (columns === undefined) {
    columns = inColumns(topology);
    known.set(topology, columns);
  }
  return columns;
}

function inColumns({ nodes, links }: Topology): LinkColumns {
  const from = new Int32Array(links.length);
  const to = new Int32Array(links.length);
  const bandwidth = new Float64Array(links.length);
  for (let link = 0; link < links.length; link++) {
    from[link] = links[link].from;
    to[link] = links[link].to;
    bandwidth[link] = links[link].bandwidth;
  }
  const [firstOut, out] = groupedBy(from, nodes.length);
  const [firstIn, into] = groupedBy(to, nodes.length);
  return { from, to, bandwidth, firstOut, out, firstIn, into };
}

function groupedBy(node: Int32Array, nodes: number): readonly [Int32Array, Int32Array] {
  const first = new Int32Array(nodes + 1);
  for (let link = 0; link < node.length; link++) first[node[link] + 1]++;
  for (let n = 0; n < nodes; n++) first[n + 1] += first[n];
  const next = first.slice();
  const grouped = new Int32Array(node.length);
  for (let link = 0; link < node.length; link++) grouped[next[node[link]]++] = link;
  return [first, grouped];
}
