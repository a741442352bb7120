/** Links that would run over a node on their way bend round it: those that wrap round a grid, and those that skip a neighbour. */
import type { MachineLayout } from './places.ts';

/** Nodes nearer than this to a straight line are in its way. */
const clearance = 0.22;
/** How far the middle of a bent link stands off, as a part of its length; enough to pass the node, and within the drawing. */
const bow = 0.14;
const leastBow = 0.45;
const mostBow = 1.1;
/** Looking at every node for every link takes too long beyond this, and is of no use in so large a drawing. */
const mostLooks = 20_000_000;

/** By link: how far the middle of its curve stands off the straight line, to the left of the way it goes. */
export function bendsOf(
  links: readonly { readonly from: number; readonly to: number }[],
  { x, y }: Pick<MachineLayout, 'x' | 'y'>,
): readonly number[] {
  if (links.length * x.length > mostLooks) return links.map(() => 0);
  return links.map(({ from, to }) => {
    const [dx, dy] = [x[to] - x[from], y[to] - y[from]];
    const length = Math.hypot(dx, dy);
    if (length === 0 || !isInTheWay(from, to, length)) return 0;
    return Math.min(mostBow, Math.max(leastBow, bow * length));
  });

  function isInTheWay(from: number, to: number, length: number): boolean {
    const [ux, uy] = [(x[to] - x[from]) / length, (y[to] - y[from]) / length];
    for (let node = 0; node < x.length; node++) {
      if (node === from || node === to) continue;
      const [px, py] = [x[node] - x[from], y[node] - y[from]];
      const along = px * ux + py * uy;
      if (along <= 0 || along >= length) continue;
      if (Math.abs(px * uy - py * ux) < clearance) return true;
    }
    return false;
  }
}
