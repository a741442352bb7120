/**
 * Column generation: solves the master program and the pricing problem alternately until no column improves the master.
 */
import { Random } from '../../ir/random.ts';
import type { Seconds } from '../../ir/units.ts';
import type { LinearModel, Solver } from '../../solver/index.ts';
import { columnsPerMaster, patience, treeOrders, workOfTry } from './limits.ts';
import { type DualPrices, Master, type MasterAnswer } from './master.ts';
import { PricingProblem } from './pricing.ts';
import type { RoundsProblem } from './problem.ts';

export class Generation {
  readonly problem: RoundsProblem;
  /** The best solution so far; undefined if there are too few rounds for any. */
  best: MasterAnswer | undefined;
  /** True if no improving column was found. */
  private isDone = false;
  private masterWork = 0;
  private readonly master: Master;
  private readonly pricing: PricingProblem;
  private readonly random: Random;
  private readonly shouldStop: (() => boolean) | undefined;

  constructor(problem: RoundsProblem, solver: Solver, seed: number, shouldStop?: () => boolean) {
    this.problem = problem;
    this.master = new Master(problem, solver);
    this.pricing = new PricingProblem(problem);
    this.random = new Random(seed);
    this.shouldStop = shouldStop;
    this.price(this.pricesBefore());
    const served = new Set(this.master.columns.map(({ commodity }) => commodity));
    if (served.size === problem.commodities.length) this.solve();
    else this.isDone = true;
  }

  /** Total time of the rounds of the best solution. */
  get seconds(): Seconds {
    const { rounds, network } = this.problem;
    return this.best === undefined ? Number.POSITIVE_INFINITY : rounds * network.latency + this.best.seconds;
  }

  /** Work so far: simplex iterations times rows of the program, plus the work of growing trees. */
  get work(): number {
    return this.masterWork + this.pricing.work;
  }

  /**
   * Solves master programs until the given work is done, or the last few masters gained less than this part of the
   * time.
   */
  improve(work: number, gain: number, onProgress?: (rounds: number, seconds: Seconds) => void): void {
    const seconds: Seconds[] = [this.seconds];
    const end = this.work + work;
    while (this.best !== undefined && !this.isDone && this.work < end) {
      if (this.price(this.best.prices) === 0 || this.shouldStop?.() === true) this.isDone = true;
      else this.solve();
      seconds.push(this.seconds);
      onProgress?.(this.problem.rounds, this.seconds);
      const before = seconds.at(-1 - patience);
      if (before !== undefined && this.seconds > before * (1 - gain)) break;
    }
  }

  /** The whole program with its integer rounds, to be solved elsewhere. */
  whole(): LinearModel {
    return this.master.whole();
  }

  close(): void {
    this.master.close();
  }

  private solve(): void {
    const most = Math.ceil(workOfTry / this.master.rows);
    const answer = this.master.solve(most, this.shouldStop);
    this.masterWork += (answer?.iterations ?? most) * this.master.rows;
    if (answer === undefined) this.isDone = true;
    else this.best = answer;
  }

  /**
   * Adds improving columns: trees grown nearest rank first, then trees grown in random orders, until there are enough.
   * Returns how many were added.
   */
  private price(prices: DualPrices): number {
    let added = 0;
    for (let order = 0; order <= treeOrders && added < columnsPerMaster; order++) {
      for (const column of this.pricing.improving(prices, order === 0 ? undefined : this.random)) {
        if (this.master.add(column)) added++;
      }
      // Before the first master program: no tree was found, so there are too few rounds.
      if (added === 0 && this.best === undefined) break;
    }
    return added;
  }

  /** Before the first master program there are no dual prices: price arcs by hops and accept every column. */
  private pricesBefore(): DualPrices {
    const { network, rounds, commodities } = this.problem;
    const copied = new Float64Array(rounds * network.arcs.length).fill(1);
    return { copied, reduced: copied, worth: new Float64Array(commodities.length).fill(Number.POSITIVE_INFINITY) };
  }
}
