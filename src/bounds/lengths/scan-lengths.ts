/**
 * Link lengths that prove how fast a scan can be. The theorem is in certificates/stretches.ts, the proof in
 * docs/bounds.md, *Lengths*.
 * On small machines the dual linear program (as many vectors per second as the links carry, each along one shortest
 * walk through the classes of values) is solved by the simplex method with column generation (Ford and Fulkerson 1958),
 * since there are too many walks to list. On larger machines multiplicative weights are used (after Garg and Könemann
 * 2007): links become longer the more often recent shortest walks use them. Lengths are valid after any number of
 * steps.
 */

import { linkColumns } from '../../graph/link-columns.ts';
import { Simplex } from '../../graph/simplex.ts';
import type { Topology } from '../../ir/topology.ts';
import { noticeable, rounding } from '../../ir/units.ts';
import { weighing } from '../limits.ts';
import { type ProvingLengths, roundedLengths } from './proving-lengths.ts';
import { ScanRoutes } from './scan-routes.ts';
import { LinkWeights } from './weights.ts';

/** The same limit for a single step; beyond it nothing is proved, since the step would take seconds. */
const mostWorkAtOnce = 2 ** 27;
const perhapsEnough = 1 / 3;
/**
 * Rounds of multiplicative weights: with the walks of an exscan, which are found quickly, and then with those of a
 * scan.
 */
const mostRounds = { exscan: 80, beforeScan: 40, scan: 20 } as const;

export class ScanLengths {
  private readonly topology: Topology;
  private readonly withOwn: boolean;
  private readonly likely: Float64Array | undefined;
  private readonly routes: ScanRoutes;
  private found: ProvingLengths | undefined;

  /**
   * @param withOwn whether results include the contribution of their own rank (a scan, not an exscan)
   * @param likely lengths that may prove much, as a start
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

  /** Whether all vectors can go along the walks found last within the proved time: then no lengths prove more. */
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
      // Dual prices oscillate, so the midpoint between the last and the new lengths is used (stabilisation: Wentges
      // 1997).
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

  /** Lengths that are good for an exscan are nearly as good for a scan, whose walks take longer to find. */
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

  /** How often a shortest walk through the classes crosses each link. */
  private shortest(lengths: Float64Array): number[] {
    const crossings = this.topology.links.map(() => 0);
    for (const link of this.routes.find(lengths, this.withOwn).links()) crossings[link]++;
    return crossings;
  }

  /**
   * The seconds per byte that these lengths, rounded, prove for a scan or an exscan; `routes` holds the shortest walks
   * afterwards. Keeps the best lengths of the kind in question.
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
