import type { Topology } from '../ir/topology.ts';

/** Groups whose chips have links of their own among themselves: in fat trees and dragonflies all share the one to their router. */
export function areBoxes({ groups, links, chips }: Topology): boolean {
  const isChip = new Set(chips);
  return groups.length > 1 && links.filter(({ from }) => isChip.has(from)).length > chips.length;
}
