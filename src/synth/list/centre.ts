/** The middle of a machine: the rank that all others reach soonest. */
import { Latencies } from '../../cost/bounds/latency/latencies.ts';
import { type Topology, transpose } from '../../ir/topology.ts';
import { rounding, type Seconds } from '../../ir/units.ts';
import { limits } from './limits.ts';

/** Least Σα from ranks to others and back. */
export class RoundTrips {
  private readonly chips: readonly number[];
  private readonly there: Latencies;
  private readonly back: Latencies;

  constructor(topology: Topology) {
    this.chips = topology.chips;
    this.there = new Latencies(topology);
    this.back = new Latencies(transpose(topology));
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
    const away = new Float64Array(this.chips.length);
    let [best, least, rank] = [0, Number.POSITIVE_INFINITY, 0];
    for (let landmarks = 0; landmarks < limits.landmarks; landmarks++) {
      const trips = this.from(rank);
      const farthest = Math.max(...trips);
      if (farthest < least) [best, least] = [rank, farthest];
      if (farthest <= away[rank] * (1 + rounding)) break;
      for (const [other, seconds] of this.from(trips.indexOf(farthest)).entries()) {
        away[other] = Math.max(away[other], seconds);
      }
      rank = away.indexOf(Math.min(...away));
    }
    return best;
  }

  /** By rank. */
  private from(rank: number): Float64Array {
    const [there, back] = [this.there.from(this.chips[rank]), this.back.from(this.chips[rank])];
    return Float64Array.from(this.chips, (chip) => there[chip] + back[chip]);
  }
}
