/**
 * The least of a convex function that is only known by planes below it: the linear program
 *
 *   minimise t, where t ≥ constant_j + slope_j · x for every plane j, Σ x over each group (with multiplicities) = 1, x ≥ 0.
 *
 * Planes come one after the other (Kelley, "The cutting-plane method for solving convex programs", 1960). In the dual each is a
 * column, so that the last basis stays feasible and few pivots are left to do.
 */
import { Simplex } from '../../../graph/index.ts';
import { noticeable, rounding } from '../../../ir/units.ts';

/** A point and the least t that the planes allow there. */
export interface MinPoint {
  readonly value: number;
  readonly point: Float64Array;
}

/** A column of the dual, and what it is worth: row 0 of a plane is 1, row v + 1 belongs to variable v. */
interface Column {
  readonly values: Float64Array;
  readonly worth: number;
}

export class CuttingPlanes {
  /** Multiplications so far, about. */
  work = 0;
  private readonly rows: number;
  /** Each group's sum, from either side, and what variables leave of the planes. */
  private readonly others: readonly Column[];
  private readonly planes: Column[] = [];
  private readonly simplex: Simplex;

  /** @param groups the variables of each group, in any order; one that stands k times counts k times */
  constructor(variables: number, groups: readonly Int32Array[]) {
    this.rows = variables + 1;
    const sums = groups.flatMap((group) => [this.columnOf([...group], 1, 1), this.columnOf([...group], -1, -1)]);
    const slacks = Array.from({ length: variables }, (_, v) => this.columnOf([v], 1, 0));
    this.others = [...sums, ...slacks];
    // The first plane has all the weight, everything else is slack; a little more of each, so that ties have one answer and no pivot is degenerate for ever.
    this.simplex = new Simplex(
      Float64Array.from({ length: this.rows }, (_, row) => (row === 0 ? 1 : noticeable * (1 + row / this.rows))),
    );
  }

  add(constant: number, slope: Float64Array): void {
    const values = new Float64Array(this.rows).fill(1, 0, 1);
    for (let v = 0; v < slope.length; v++) values[v + 1] = -slope[v];
    this.planes.push({ values, worth: constant });
    if (this.planes.length === 1) this.simplex.add(values, constant);
  }

  /** @returns undefined where there is no plane, or no answer within so many pivots */
  least(mostPivots: number): MinPoint | undefined {
    if (this.planes.length === 0) return undefined;
    for (let pivots = 0; pivots < mostPivots; pivots++) {
      this.work += (this.planes.length + 3 * this.rows) * this.rows;
      const prices = this.simplex.prices();
      const entering = this.mostProfitable(prices);
      if (entering === undefined) {
        const point = prices.slice(1).map((x) => Math.max(0, x));
        return point.every(Number.isFinite) ? { value: prices[0], point } : undefined;
      }
      if (!this.simplex.add(entering.values, entering.worth)) return undefined;
    }
    return undefined;
  }

  private columnOf(variables: readonly number[], value: number, worth: number): Column {
    const values = new Float64Array(this.rows);
    for (const v of variables) values[v + 1] += value;
    return { values, worth };
  }

  private mostProfitable(prices: Float64Array): Column | undefined {
    let best: Column | undefined;
    let most = rounding;
    for (const columns of [this.planes, this.others]) {
      for (const column of columns) {
        let gain = column.worth;
        for (let row = 0; row < prices.length; row++) gain -= prices[row] * column.values[row];
        if (gain > most) [most, best] = [gain, column];
      }
    }
    return best;
  }
}
