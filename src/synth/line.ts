/** Lines of chips, such as a ring that has lost one link. */
import type { Topology } from '../ir/topology.ts';

/**
 * Whether the chips are joined in a line without switches: a pipeline from one end then stays synchronised by itself.
 */
export function isLine({ nodes, links, chips }: Topology): boolean {
  if (nodes.length > chips.length) return false;
  const entering = new Int32Array(nodes.length);
  for (const { to } of links) entering[to]++;
  return entering.every((count) => count <= 2) && chips.filter((chip) => entering[chip] === 1).length === 2;
}
