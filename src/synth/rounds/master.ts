/**
 * The master program of schedules in rounds: which share of each commodity takes which column, so that all rounds
 * together are short.
 *
 *   minimise Σ_r (τ_r + c_r)   where, for every round r,
 *   Σ bytes over arc w · seconds per byte ≤ τ_r + (how much sooner bytes flow on w than on others),
 *   the same for links that arcs share,
 *   Σ bytes reduced at a chip / γ ≤ c_r,
 *   and the shares of each commodity add up to 1.
 *
 * Each round additionally costs the latency of its messages, whatever the columns are.
 */
import type { Seconds } from '../../ir/units.ts';
import {
  type GrowingModel,
  type LinearModel,
  ModelBuilder,
  type Solver,
  type SparseColumn,
} from '../../solver/index.ts';
import type { UnitLoad } from './network.ts';
import { type Hop, loadsOf, type RoundsProblem, type TreeColumn } from './problem.ts';

/** Dual prices of a master program, in seconds per byte or per commodity. */
export interface DualPrices {
  /** By hop: the cost of one more byte that is copied, or reduced, there. */
  readonly copied: Float64Array;
  readonly reduced: Float64Array;
  /** By commodity: a column that costs less than this shortens the rounds. */
  readonly worth: Float64Array;
}

/** A solution of the master program. */
export interface MasterAnswer {
  readonly columns: readonly TreeColumn[];
  /** Of all rounds, without their latencies. */
  readonly seconds: Seconds;
  /** By column; those of a commodity add up to 1. */
  readonly shares: Float64Array;
  readonly prices: DualPrices;
  /** Iterations of the simplex method. */
  readonly iterations: number;
}

export class Master {
  readonly columns: TreeColumn[] = [];
  readonly rows: number;
  private readonly problem: RoundsProblem;
  /** Number of rows for times: one per resource in each round; the rows of commodities follow. */
  private readonly timeRows: number;
  /** Seconds that count as 1 in the model, since solvers like numbers near 1. */
  private readonly unit: Seconds;
  private readonly known = new Set<string>();
  private readonly model: GrowingModel;

  constructor(problem: RoundsProblem, solver: Solver) {
    this.problem = problem;
    const { network, commodities, rounds } = problem;
    this.timeRows = network.headStart.length * rounds;
    this.rows = this.timeRows + commodities.length;
    const slowest = Math.max(...network.copying.flat().map(({ perByte }) => perByte));
    this.unit = Math.max(...commodities.map(({ bytes }) => bytes)) * slowest;
    this.model = solver.grow(this.whole());
  }

  /** Adds a column; false if it exists already. */
  add(column: TreeColumn): boolean {
    const key = `${column.commodity} ${column.turn} ${column.hops.join(' ')}`;
    if (this.known.has(key)) return false;
    this.known.add(key);
    this.columns.push(column);
    this.model.add(this.sparse(column));
    return true;
  }

  /** @returns undefined if the solver stops before the optimum, or a commodity has no column */
  solve(iterations: number, shouldStop?: () => boolean): MasterAnswer | undefined {
    const answer = this.model.solve({ iterations, ...(shouldStop && { shouldStop }) });
    if (answer === undefined) return undefined;
    const { values, objective, prices, iterations: made } = answer;
    const shares = values.slice(2 * this.problem.rounds);
    return {
      columns: [...this.columns],
      seconds: objective * this.unit,
      shares,
      prices: this.pricesOf(prices),
      iterations: made,
    };
  }

  /** The whole program with the columns generated so far. */
  whole(): LinearModel {
    const { network, rounds } = this.problem;
    const { headStart, ranks } = network;
    const builder = new ModelBuilder();
    const free = { lower: 0, upper: Number.POSITIVE_INFINITY, whole: false };
    for (let time = 0; time < 2 * rounds; time++) builder.column({ ...free, cost: 1 });
    const entries: [number, number][][] = Array.from({ length: this.rows }, () => []);
    for (const column of this.columns) {
      const index = builder.column(free);
      const { rows, values } = this.sparse(column);
      rows.forEach((row, i) => {
        entries[row].push([index, values[i]]);
      });
    }
    for (const [row, own] of entries.entries()) {
      if (row >= this.timeRows) builder.row(1, 1);
      else {
        const resource = row % headStart.length;
        const round = Math.floor(row / headStart.length);
        builder.row(-headStart[resource] / this.unit, Number.POSITIVE_INFINITY);
        builder.add(resource < headStart.length - ranks ? round : rounds + round, 1);
      }
      for (const [column, value] of own) builder.add(column, value);
    }
    return builder.build();
  }

  close(): void {
    this.model.close();
  }

  private rowOf(hop: Hop, { resource }: UnitLoad): number {
    const { headStart, arcs } = this.problem.network;
    return Math.floor(hop / arcs.length) * headStart.length + resource;
  }

  /** The coefficients of a column: what its whole commodity contributes to each row. */
  private sparse(column: TreeColumn): SparseColumn {
    const bytes = this.problem.commodities[column.commodity].bytes / this.unit;
    const loads = new Map<number, number>();
    for (const hop of column.hops) {
      for (const load of loadsOf(this.problem, column, hop)) {
        const row = this.rowOf(hop, load);
        if (load.perByte > 0) loads.set(row, (loads.get(row) ?? 0) - bytes * load.perByte);
      }
    }
    loads.set(this.timeRows + column.commodity, 1);
    return { cost: 0, rows: [...loads.keys()], values: [...loads.values()] };
  }

  private pricesOf(prices: Float64Array): DualPrices {
    const { network, rounds, commodities } = this.problem;
    const { arcs, copying, reducing } = network;
    const sums = (loads: readonly (readonly UnitLoad[])[]): Float64Array =>
      new Float64Array(rounds * arcs.length).map((_, hop) =>
        loads[hop % arcs.length].reduce(
          (sum, load) => sum + Math.max(0, prices[this.rowOf(hop, load)]) * load.perByte,
          0,
        ),
      );
    const worth = Float64Array.from(commodities, (_, c) => prices[this.timeRows + c] * this.unit);
    return { copied: sums(copying), reduced: sums(reducing), worth };
  }
}
