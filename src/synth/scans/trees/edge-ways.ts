/** The hops by which a tree's edges go: those between neighbours are given, others go where the fewest bytes go, chunk by chunk another way. */
import { tolerance } from '../../limits.ts';
import { cheapestWay, type Hops } from '../hops.ts';
import type { ScanTree } from './scan-tree.ts';

export class EdgeWays {
  readonly hops: Hops;
  /** For how long each resource is held by all chunks of a packet, in seconds for each byte of one of them. */
  private readonly loads: Float64Array;
  private readonly chunks: number;

  /** @param chunks of a packet, which all go up and down this tree */
  constructor(hops: Hops, tree: ScanTree, chunks: number) {
    this.hops = hops;
    this.chunks = chunks;
    this.loads = new Float64Array(hops.resources);
    this.putNeighbours(tree);
  }

  /** The hops of one more chunk from a child to its parent, or back. */
  way(from: number, to: number): readonly number[] {
    const neighbouring = this.hopTo(from, to);
    if (neighbouring !== undefined) return [neighbouring];
    const way = cheapestWay(this.hops, this.prices(), from, to);
    for (const hop of way) this.put(hop, 1);
    return way;
  }

  /** For how long the busiest resource is held, in seconds for each byte of a whole message. */
  load(): number {
    return this.loads.reduce((most, load) => Math.max(most, load), 0) / this.chunks;
  }

  private putNeighbours(tree: ScanTree): void {
    for (const child of [...tree.before, ...tree.after]) {
      const up = child.end < this.hops.ranks ? this.hopTo(child.rank, tree.rank) : undefined;
      const down = child.first > 0 ? this.hopTo(tree.rank, child.rank) : undefined;
      for (const hop of [up, down]) if (hop !== undefined) this.put(hop, this.chunks);
      this.putNeighbours(child);
    }
  }

  private hopTo(from: number, to: number): number | undefined {
    const { arcs, outgoing } = this.hops;
    return outgoing[from].find((hop) => arcs[hop].to === to);
  }

  private put(hop: number, times: number): void {
    const { resources, secondsPerByte: seconds } = this.hops.arcs[hop];
    resources.forEach((resource, index) => {
      this.loads[resource] += times * seconds[index];
    });
  }

  /** Dear is what is held for long already: to the fourth power. */
  private prices(): Float64Array {
    return Float64Array.from(this.hops.arcs, ({ resources, secondsPerByte: seconds }) =>
      resources.reduce(
        (sum, resource, index) => sum + ((this.loads[resource] + seconds[index]) / this.hops.slowest) ** 4,
        // Of equally good ways the short ones are taken.
        tolerance,
      ),
    );
  }
}
