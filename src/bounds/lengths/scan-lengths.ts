/**
 * Lengths of links that prove how fast a scan can be at best: certificates/stretches.ts, proved in docs/bounds.md, *Lengths*.
 *
 * Of small machines the search is the simplex method on the dual: as many vectors a second as links can take, each along one shortest way
 * through classes of values. There are too many of these to list, so that each step looks for the one that is shortest by the present lengths
 * (column generation: Ford and Fulkerson 1958). Of larger ones it is multiplicative weights (after Garg and Könemann 2007): links become
 * longer the more often the shortest ways so far cross them, late ways counting more. Whatever the step, the lengths prove something.
 */

import { linkColumns } from '../../graph/link-columns.ts';
import { Simplex } from '../../graph/simplex.ts';
import type { Topology } from '../../ir/topology.ts';
import { noticeable, rounding } from '../../ir/units.ts';
import { weighing } from '../limits.ts';
import { type ProvingLengths, roundedLengths } from './proving-lengths.ts';
import { ScanRoutes } from './scan-routes.ts';
import { LinkWeights } from './weights.ts';

/** The same in a single step beyond which nothing is proved: it would take seconds. */
const mostWorkAtOnce = 2 ** 27;
const perhapsEnough = 1 / 3;
/** Rounds of weights by the ways of an exscan, which are found soon, and then by those of a scan. */
const mostRounds = { exscan: 80, beforeScan: 40, scan: 20 } as const;

export class ScanLengths {
  private readonly topology: Topology;
  private readonly withOwn: boolean;
  private readonly likely: Float64Array | undefined;
  private readonly routes: ScanRoutes;
  private found: ProvingLengths | undefined;

  /**
   * @param withOwn whether results hold the contribution of their rank: a scan, not an exscan
   * @param likely lengths that may prove much
   */
  constructor(topology: Topology, withOwn: boolean, likely?: Float64Array) {
    this.topology = topology;
    this.withOwn = withOwn;
    this.likely = likely;
    this.routes = new ScanRoutes(topology);
  }

  best(): ProvingLengths | undefined {
    const { links, chips } = this.topology;
    const work = chips.length * links.length * 8 + chips.length ** 3 + links.length ** 2;
    if (work > mostWorkAtOnce) return undefined;
    const steps = Math.min(weighing.scanSteps, Math.floor(weighing.scanSimplexWork / work));
    const alike = new Float64Array(links.length).fill(1);
    this.prove(alike);
    if (this.likely !== undefined) this.prove(this.likely);
    this.prove(alike, false);
    if (this.isReachedByRoutes()) return this.found;
    if (steps < links.length * weighing.stepsPerLink) this.searchByWeights();
    if (steps >= links.length * perhapsEnough) this.searchBySimplex(steps);
    return this.found;
  }

  /** Whether all vectors can go along the ways found last in the time that was proved: then no lengths prove more. */
  private isReachedByRoutes(): boolean {
    const { bandwidth } = linkColumns(this.topology);
    const busy = new Float64Array(bandwidth.length);
    for (const link of this.routes.links()) busy[link] += 1 / bandwidth[link];
    const most = (this.found?.secondsPerByte ?? 0) * (1 + rounding);
    return busy.every((seconds) => seconds <= most);
  }

  private searchBySimplex(steps: number): void {
    const { links } = this.topology;
    const fastest = links.reduce((best, { bandwidth }) => Math.max(best, bandwidth), 0);
    const simplex = new Simplex(
      links.map(({ bandwidth }, link) => (bandwidth / fastest) * (1 + (noticeable * (link + 1)) / links.length)),
    );
    let middle: Float64Array = Float64Array.from(links, () => 1);
    simplex.add(this.shortest(middle));
    for (let step = 0; step < steps; step++) {
      const lengths = simplex.prices();
      if (simplex.leaveRoom(lengths)) continue;
      // Lengths jump from step to step: halfway from where they were is nearer to the best (Wentges 1997).
      middle = lengths.map((length, link) => (Math.max(0, length) + middle[link]) / 2);
      this.prove(middle);
      let column = this.shortest(middle);
      if (lengthOf(column, lengths) >= 1 - rounding)
        column = this.shortest(lengths.map((length) => Math.max(0, length)));
      if (lengthOf(column, lengths) >= 1 - rounding || !simplex.add(column)) {
        this.prove(lengths);
        break;
      }
    }
  }

  /** What is long for an exscan is about what is long for a scan, whose ways take longer to find. */
  private searchByWeights(): void {
    const { links, chips } = this.topology;
    const within = (most: number, work: number) => Math.min(most, Math.ceil(weighing.scanSimplexWork / work));
    const exscanWork = chips.length * links.length;
    const before = within(this.withOwn ? mostRounds.beforeScan : mostRounds.exscan, exscanWork);
    const after = this.withOwn ? within(mostRounds.scan, exscanWork + chips.length ** 3) : 0;
    const weights = new LinkWeights(
      linkColumns(this.topology).bandwidth,
      new Float64Array(links.length).fill(1),
      weighing.scanPace,
    );
    const known = this.found?.secondsPerByte ?? 0;
    let most = 0;
    for (let round = 0; round < before + after; round++) {
      most = Math.max(most, this.prove(weights.lengths, this.withOwn && round >= before));
      if (round === weighing.scanTrial && most <= known) return;
      weights.begin();
      for (const link of this.routes.links()) weights.add(link, 1);
      weights.end();
    }
    this.prove(weights.lengths);
  }

  /** How often a shortest way through classes crosses each link. */
  private shortest(lengths: Float64Array): number[] {
    const crossings = this.topology.links.map(() => 0);
    for (const link of this.routes.find(lengths, this.withOwn).links()) crossings[link]++;
    return crossings;
  }

  /**
   * What these lengths prove, rounded, of a scan or an exscan: in seconds for each byte. `ways` has the shortest ways then. The best of the
   * kind in question are kept.
   */
  private prove(lengths: Float64Array, withOwn = this.withOwn): number {
    const { bandwidth } = linkColumns(this.topology);
    const whole = roundedLengths(lengths);
    const { distance } = this.routes.find(whole, withOwn);
    const capacity = whole.reduce((sum, length, link) => sum + length * bandwidth[link], 0);
    const secondsPerByte = capacity === 0 ? 0 : distance / capacity;
    if (withOwn === this.withOwn && secondsPerByte > (this.found?.secondsPerByte ?? 0) * (1 + 1e-9)) {
      this.found = { lengths: whole, secondsPerByte };
    }
    return secondsPerByte;
  }
}

function lengthOf(crossings: readonly number[], lengths: Float64Array): number {
  return crossings.reduce((sum, count, link) => sum + count * lengths[link], 0);
}
