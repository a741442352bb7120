/** Links that would be drawn across a node bend round it: wrap-around links of grids, and links that skip a neighbour. */
import type { MachineLayout } from './places.ts';
import { spacing } from './spacing.ts';

/** The most pairs of nodes and links for which bends are computed: in larger drawings it takes too long and cannot be seen. */
const maxPairs = 20_000_000;

/** By link: the distance of its curve's midpoint from the straight line, to the left in the direction of the link. */
export function bendsOf(
  links: readonly { readonly from: number; readonly to: number }[],
  { x, y }: Pick<MachineLayout, 'x' | 'y'>,
): readonly number[] {
  if (links.length * x.length > maxPairs) return links.map(() => 0);
  return links.map(({ from, to }) => {
    const [dx, dy] = [x[to] - x[from], y[to] - y[from]];
    const length = Math.hypot(dx, dy);
    if (length === 0 || !isInTheWay(from, to, length)) return 0;
    return Math.min(spacing.maxBow, Math.max(spacing.minBow, spacing.bow * length));
  });

  function isInTheWay(from: number, to: number, length: number): boolean {
    const [ux, uy] = [(x[to] - x[from]) / length, (y[to] - y[from]) / length];
    for (let node = 0; node < x.length; node++) {
      if (node === from || node === to) continue;
      const [px, py] = [x[node] - x[from], y[node] - y[from]];
      const along = px * ux + py * uy;
      if (along <= 0 || along >= length) continue;
      if (Math.abs(px * uy - py * ux) < spacing.clearance) return true;
    }
    return false;
  }
}
