/** Lines of chips, as a ring without one of its links is. */
import type { Topology } from '../ir/topology.ts';

/** Whether the chips are joined in a line, without switches: there a pipeline from one end keeps in step by itself. */
export function isLine({ nodes, links, chips }: Topology): boolean {
  if (nodes.length > chips.length) return false;
  const entering = chips.map((chip) => links.filter(({ to }) => to === chip).length);
  return entering.every((count) => count <= 2) && entering.filter((count) => count === 1).length === 2;
}
