import type { Topology } from '../ir/topology.ts';

/**
 * Whether declared groups are boxes whose chips have links among themselves. In fat trees and dragonflies the chips of
 * a group share the links to their router instead.
 */
export function areBoxes({ groups, links, chips }: Topology): boolean {
  const isChip = new Set(chips);
  return groups.length > 1 && links.filter(({ from }) => isChip.has(from)).length > chips.length;
}
