/**
 * The master program of schedules in rounds: which part of each commodity takes which column, so that all rounds together are short.
 *
 *   minimise Σ_r (τ_r + c_r)   where, for every round r,
 *     Σ bytes over way w · seconds per byte ≤ τ_r + (how much sooner bytes flow on w than on others),  the same for links that ways share,
 *     Σ bytes reduced at a chip / γ ≤ c_r,   and the parts of each commodity add up to 1.
 *
 * Every round costs the latency of its messages besides, whatever the columns are.
 */
import type { Seconds } from '../../ir/units.ts';
import { type GrowingModel, type LinearModel, ModelBuilder, type Solver, type SparseColumn } from '../solver/index.ts';
import { type Column, columnKey } from './columns.ts';
import { type RoundsProblem, reducerOf } from './problem.ts';

/** What a byte, or all of a commodity, is worth in seconds. */
export interface Prices {
  /** By hop: what a byte more costs that is copied, or reduced, there. */
  readonly copied: Float64Array;
  readonly reduced: Float64Array;
  /** By commodity: a column that costs less makes the rounds shorter. */
  readonly worth: Float64Array;
}

export interface MasterAnswer {
  /** Of all rounds, without their latencies. */
  readonly seconds: Seconds;
  /** By column. */
  readonly shares: Float64Array;
  readonly prices: Prices;
  /** Of the simplex method. */
  readonly iterations: number;
}

export class Master {
  readonly columns: Column[] = [];
  private readonly problem: RoundsProblem;
  /** Seconds that are 1 in the model: solvers like numbers of that order. */
  private readonly unit: Seconds;
  private readonly known = new Set<string>();
  /** By way: the shared links it is over. */
  private readonly sharedBy: readonly (readonly number[])[];
  private readonly model: GrowingModel;

  constructor(problem: RoundsProblem, solver: Solver) {
    this.problem = problem;
    const { network, commodities } = problem;
    this.unit = Math.max(...commodities.map(({ bytes }) => bytes)) * Math.max(...network.perByte);
    const sharedBy: number[][] = Array.from(network.from, () => []);
    network.shared.forEach(({ ways }, link) => {
      for (const way of ways) sharedBy[way].push(link);
    });
    this.sharedBy = sharedBy;
    this.model = solver.grow(this.linearModel([]));
  }

  get rows(): number {
    return this.timeRows + this.problem.commodities.length;
  }

  /** Adds a column; false where it is there already. */
  add(column: Column): boolean {
    const key = columnKey(column);
    if (this.known.has(key)) return false;
    this.known.add(key);
    this.columns.push(column);
    this.model.add(this.sparse(column));
    return true;
  }

  /** @returns undefined where the solver ends before it has the optimum, or a commodity has no column */
  solve(iterations: number, shouldStop?: () => boolean): MasterAnswer | undefined {
    const answer = this.model.solve({ iterations, ...(shouldStop && { shouldStop }) });
    if (answer === undefined) return undefined;
    const { values, objective, prices, iterations: made } = answer;
    return {
      seconds: objective * this.unit,
      shares: values.slice(2 * this.problem.rounds),
      prices: this.pricesOf(prices),
      iterations: made,
    };
  }

  /** The whole program, for others to solve. */
  whole(): LinearModel {
    return this.linearModel(this.columns);
  }

  close(): void {
    this.model.close();
  }

  private linearModel(columns: readonly Column[]): LinearModel {
    const { network, rounds } = this.problem;
    const builder = new ModelBuilder();
    const free = { lower: 0, upper: Number.POSITIVE_INFINITY, whole: false };
    for (let time = 0; time < 2 * rounds; time++) builder.column({ ...free, cost: 1 });
    for (const _ of columns) builder.column(free);
    const entries: [number, number][][] = Array.from({ length: this.rows }, () => []);
    columns.forEach((column, c) => {
      const { rows, values } = this.sparse(column);
      rows.forEach((row, i) => {
        entries[row].push([2 * rounds + c, values[i]]);
      });
    });
    entries.forEach((row, index) => {
      if (index >= this.timeRows) builder.row(1, 1);
      else {
        const part = index % this.rowsOfRound;
        const round = Math.floor(index / this.rowsOfRound);
        const isReduction = part >= network.from.length + network.shared.length;
        builder.row(-(network.headStart[part] ?? 0) / this.unit, Number.POSITIVE_INFINITY);
        builder.add(isReduction ? rounds + round : round, 1);
      }
      for (const [column, value] of row) builder.add(column, value);
    });
    return builder.build();
  }

  /** Rows of each round: its ways, then the links that they share, then the ranks, which reduce. */
  private get rowsOfRound(): number {
    const { from, shared, ranks } = this.problem.network;
    return from.length + shared.length + ranks;
  }

  private get timeRows(): number {
    return this.rowsOfRound * this.problem.rounds;
  }

  /** What all of its commodity takes in each row, if it goes by this column. */
  private sparse(column: Column): SparseColumn {
    const { network, commodities } = this.problem;
    const bytes = commodities[column.commodity].bytes / this.unit;
    const ways = network.from.length;
    const loads = new Map<number, number>();
    const load = (row: number, time: number): void => {
      if (time > 0) loads.set(row, (loads.get(row) ?? 0) - time);
    };
    for (const hop of column.hops) {
      const way = hop % ways;
      const first = Math.floor(hop / ways) * this.rowsOfRound;
      load(first + way, bytes * network.perByte[way]);
      for (const link of this.sharedBy[way]) load(first + ways + link, bytes * network.shared[link].perByte);
      const rank = reducerOf(this.problem, column, hop);
      if (rank >= 0) load(first + ways + network.shared.length + rank, bytes * network.reducePerByte[rank]);
    }
    loads.set(this.timeRows + column.commodity, 1);
    return { cost: 0, rows: [...loads.keys()], values: [...loads.values()] };
  }

  private pricesOf(prices: Float64Array): Prices {
    const { network, rounds, commodities, reductions } = this.problem;
    const ways = network.from.length;
    const copied = new Float64Array(rounds * ways);
    const reduced = new Float64Array(rounds * ways);
    const reducers = reductions === 'at-start' ? network.from : network.to;
    const at = (row: number): number => Math.max(0, prices[row]);
    for (let hop = 0; hop < copied.length; hop++) {
      const way = hop % ways;
      const first = Math.floor(hop / ways) * this.rowsOfRound;
      let price = at(first + way) * network.perByte[way];
      for (const link of this.sharedBy[way]) price += at(first + ways + link) * network.shared[link].perByte;
      copied[hop] = price;
      const rank = reducers[way];
      reduced[hop] = price + at(first + ways + network.shared.length + rank) * network.reducePerByte[rank];
    }
    const worth = Float64Array.from(commodities, (_, c) => prices[this.timeRows + c] * this.unit);
    return { copied, reduced, worth };
  }
}
