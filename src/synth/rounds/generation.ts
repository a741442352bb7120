/** Column generation: the master program and the pricing of columns in turn, until no column is found that would help. */
import { Random } from '../../ir/random.ts';
import type { Seconds } from '../../ir/units.ts';
import type { LinearModel, Solver } from '../../solver/index.ts';
import { columnsPerMaster, treeOrders, workOfTry } from './limits.ts';
import { Master, type MasterAnswer, type Prices } from './master.ts';
import { Pricing } from './pricing.ts';
import type { Column, RoundsProblem } from './problem.ts';

/** Parts of commodities that go by columns, and what the rounds of that take without their latencies. */
export interface Mixture {
  readonly columns: readonly Column[];
  /** By column; those of a commodity add up to 1. */
  readonly shares: Float64Array;
  readonly seconds: Seconds;
}

export class Generation {
  readonly problem: RoundsProblem;
  /** The best so far; undefined where there are too few rounds for anything. */
  best: Mixture | undefined;
  /** Nothing more is found. */
  isDone = false;
  private masterWork = 0;
  private readonly master: Master;
  private readonly pricing: Pricing;
  private readonly random: Random;
  private readonly shouldStop: (() => boolean) | undefined;
  private answer: MasterAnswer | undefined;

  constructor(problem: RoundsProblem, solver: Solver, seed: number, shouldStop?: () => boolean) {
    this.problem = problem;
    this.master = new Master(problem, solver);
    this.pricing = new Pricing(problem);
    this.random = new Random(seed);
    this.shouldStop = shouldStop;
    this.price(this.pricesBefore());
    this.solve();
  }

  /** What the rounds of the best take. */
  get seconds(): Seconds {
    const { rounds, network } = this.problem;
    return this.best === undefined ? Number.POSITIVE_INFINITY : rounds * network.latency + this.best.seconds;
  }

  /** What all that took: iterations of the simplex method, each counted by the rows of its program, and what trees take. */
  get work(): number {
    return this.masterWork + this.pricing.work;
  }

  /** Some columns more, if there are any, and the master with them. */
  step(): void {
    if (this.answer === undefined || this.isDone) return;
    if (this.price(this.answer.prices) === 0 || this.shouldStop?.() === true) this.isDone = true;
    else this.solve();
  }

  /** The whole program, for others to solve. */
  whole(): LinearModel {
    return this.master.whole();
  }

  close(): void {
    this.master.close();
  }

  private solve(): void {
    const most = Math.ceil(workOfTry / this.master.rows);
    this.answer = this.master.solve(most, this.shouldStop);
    this.masterWork += (this.answer?.iterations ?? most) * this.master.rows;
    if (this.answer === undefined) this.isDone = true;
    else this.best = { columns: [...this.master.columns], shares: this.answer.shares, seconds: this.answer.seconds };
  }

  /** Adds columns that are worth it: the trees that grow by what is nearest, and then others, until there are enough. Returns how many. */
  private price(prices: Prices): number {
    let added = 0;
    for (let order = 0; order <= treeOrders && added < columnsPerMaster; order++) {
      for (const column of this.pricing.improving(prices, order === 0 ? undefined : this.random)) {
        if (this.master.add(column)) added++;
      }
    }
    return added;
  }

  /** Before the first master: what bytes take on their ways, and any column is welcome. */
  private pricesBefore(): Prices {
    const { network, rounds, commodities } = this.problem;
    const { moving } = network;
    const copied = Float64Array.from(
      { length: rounds * moving.length },
      (_, hop) => moving[hop % moving.length][0].perByte,
    );
    return { copied, reduced: copied, worth: new Float64Array(commodities.length).fill(Number.POSITIVE_INFINITY) };
  }
}
