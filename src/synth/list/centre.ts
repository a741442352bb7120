/** The middle of a machine: the rank that all others reach soonest. */
import { NearestFirst } from '../../cost/nearest-first.ts';
import { type Topology, transpose } from '../../ir/topology.ts';
import type { Seconds } from '../../ir/units.ts';

/** Ranks from which ways are looked for: a dozen settles it on most machines. */
const mostLandmarks = 16;

/** Least Σα from ranks to others and back, kept for those that were asked for. */
export class RoundTrips {
  private readonly topology: Topology;
  private readonly turned: Topology;
  private readonly known = new Map<number, Float64Array>();

  constructor(topology: Topology) {
    this.topology = topology;
    this.turned = transpose(topology);
  }

  /** How long it is to the farthest rank and back; Infinity where there is no way. */
  farthest(rank: number): Seconds {
    return this.from(rank).reduce((most, seconds) => Math.max(most, seconds), 0);
  }

  /**
   * A rank from which the farthest is nearest. Of each that may be it, the farthest rank becomes a landmark, and the next one to look at is
   * that which is nearest to all landmarks; once no landmark is nearer than the farthest rank, nothing can be better. After many
   * landmarks the best so far is taken.
   */
  centre(): number {
    const away = new Float64Array(this.topology.chips.length);
    let best = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let landmarks = 0, rank = 0; landmarks < mostLandmarks; landmarks++) {
      const ways = this.from(rank);
      const farthest = this.farthest(rank);
      if (farthest < least) [best, least] = [rank, farthest];
      if (farthest <= away[rank] * (1 + 1e-12)) break;
      this.from(ways.indexOf(farthest)).forEach((seconds, other) => {
        away[other] = Math.max(away[other], seconds);
      });
      rank = away.indexOf(Math.min(...away));
    }
    return best;
  }

  /** By rank. */
  private from(rank: number): Float64Array {
    let ways = this.known.get(rank);
    if (ways === undefined) {
      const chip = this.topology.chips[rank];
      const there = leastLatencies(this.topology, chip);
      const back = leastLatencies(this.turned, chip);
      ways = Float64Array.from(this.topology.chips, (other) => there[other] + back[other]);
      this.known.set(rank, ways);
    }
    return ways;
  }
}

/** By node. */
function leastLatencies({ nodes, links }: Topology, source: number): Float64Array {
  const leaving: number[][] = nodes.map(() => []);
  for (const [index, { from }] of links.entries()) leaving[from].push(index);
  const search = new NearestFirst(nodes.length);
  search.reach(source, 0);
  for (let node = search.next(); node >= 0; node = search.next()) {
    for (const index of leaving[node]) search.reach(links[index].to, search.length[node] + links[index].latency);
  }
  return search.length;
}
