/**
 * Minimises a convex function of which only supporting planes are known, by Kelley's cutting-plane method ("The
 * cutting-plane method for solving convex programs", 1960): minimise t subject to t ≥ constant_j + slope_j · x for
 * every plane j, Σ x over each group (with multiplicities) = 1, x ≥ 0. Planes are added one by one. They are columns of
 * the dual program, so the last basis stays feasible and each addition takes few pivots.
 */
import { Simplex } from '../../../graph/index.ts';
import { noticeable, rounding } from '../../../ir/units.ts';

/** A minimiser of the current planes, and the value t there (a lower bound on the function's minimum). */
export interface MinPoint {
  readonly value: number;
  readonly point: Float64Array;
}

/** A column of the dual and its objective coefficient: row 0 of a plane is 1, row v + 1 belongs to variable v. */
interface Column {
  readonly values: Float64Array;
  readonly worth: number;
}

export class CuttingPlanes {
  /** Approximate number of multiplications so far. */
  work = 0;
  private readonly rows: number;
  /** Columns for the sum of each group, in both directions, and slack columns of the variables. */
  private readonly others: readonly Column[];
  private readonly planes: Column[] = [];
  private readonly simplex: Simplex;

  /** @param groups the variables of each group, in any order; a variable listed k times counts k times */
  constructor(variables: number, groups: readonly Int32Array[]) {
    this.rows = variables + 1;
    const sums = groups.flatMap((group) => [this.columnOf([...group], 1, 1), this.columnOf([...group], -1, -1)]);
    const slacks = Array.from({ length: variables }, (_, v) => this.columnOf([v], 1, 0));
    this.others = [...sums, ...slacks];
    // Initial basis: the first plane has all the weight, everything else is slack, slightly perturbed so that ties are
    // broken and the simplex method does not cycle.
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

  /** @returns the minimiser; undefined without planes, or if that many pivots do not suffice */
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
