/** The order in which the parts of a commodity lie beside each other. */
import type { Part } from './rounding.ts';

/**
 * Parts such that neighbours take many ways together, so that slices of a message join: each is followed by the one that has most hops in common
 * with it. The first is the one with most chunks.
 */
export function neighbours(parts: readonly Part[]): Part[] {
  const left = [...parts].sort((a, b) => b.count - a.count);
  const ordered: Part[] = left.splice(0, 1);
  while (left.length > 0) {
    const hops = new Set(ordered[ordered.length - 1].column.hops);
    let [best, most] = [0, -1];
    left.forEach(({ column }, index) => {
      const common = column.hops.reduce((count, hop) => count + (hops.has(hop) ? 1 : 0), 0);
      if (common > most) [best, most] = [index, common];
    });
    ordered.push(...left.splice(best, 1));
  }
  return ordered;
}
