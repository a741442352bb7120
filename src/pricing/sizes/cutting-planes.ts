/**
 * The least of a convex function that is only known by planes below it: the linear program
 *
 *   minimise t, where t ≥ constant_j + slope_j · x for every plane j, Σ x over each group (with multiplicities) = 1, x ≥ 0.
 *
 * Planes come one after the other (Kelley, "The cutting-plane method for solving convex programs", 1960). In the dual each is a
 * column, so that the last basis stays feasible and few pivots are left to do: the revised simplex method with an explicit inverse.
 */
import { rounding } from '../../ir/units.ts';

/** A point and the least t that the planes allow there. */
export interface LeastPoint {
  readonly value: number;
  readonly point: Float64Array;
}

/** Entries of a column below this are no pivots. */
const leastPivot = 1e-10;
/** Makes ties between points have one answer, and keeps pivots from being degenerate for ever. */
const perturbation = 1e-8;

/** A column of the dual, dense, and what it earns: row 0 of a plane is 1, row v + 1 belongs to variable v. */
interface Column {
  readonly values: Float64Array;
  readonly profit: number;
}

export class CuttingPlanes {
  /** Multiplications so far, about. */
  work = 0;
  private readonly variables: number;
  private readonly slacks: readonly Column[];
  /** Each group's sum, from either side. */
  private readonly sums: readonly Column[];
  private planes: Column[] = [];
  /** One column per row; empty until there is a plane. */
  private basis: Column[] = [];
  /** Of the basis, row by row. */
  private inverse: Float64Array = new Float64Array(0);
  /** The dual variables in the basis. */
  private levels: Float64Array = new Float64Array(0);

  /** @param groups the variables of each group, in any order; one that stands k times counts k times */
  constructor(variables: number, groups: readonly Int32Array[]) {
    this.variables = variables;
    this.slacks = Array.from({ length: variables }, (_, v) => this.columnOf([v], 1, 0));
    this.sums = groups.flatMap((group) => [this.columnOf([...group], 1, 1), this.columnOf([...group], -1, -1)]);
  }

  get planeCount(): number {
    return this.planes.length;
  }

  add(constant: number, slope: Float64Array): void {
    const values = new Float64Array(this.variables + 1);
    values[0] = 1;
    for (let v = 0; v < slope.length; v++) values[v + 1] = -slope[v];
    this.planes.push({ values, profit: constant });
    if (this.basis.length === 0) this.restart();
  }

  /** Takes away all planes that lie above a value that the function has at a point. */
  keepBelow(point: Float64Array, value: number): void {
    const isBelow = ({ values, profit }: Column): boolean =>
      profit - point.reduce((sum, x, v) => sum + x * values[v + 1], 0) <= value * (1 + rounding);
    const kept = this.planes.filter(isBelow);
    if (kept.length === this.planes.length) return;
    this.planes = kept;
    this.basis = [];
    if (kept.length > 0) this.restart();
  }

  /** @returns undefined where there is no plane, or no answer within so many pivots */
  least(mostPivots: number): LeastPoint | undefined {
    if (this.planes.length === 0) return undefined;
    for (let pivots = 0; pivots < mostPivots; pivots++) {
      this.work += (this.planes.length + 3 * this.basis.length) * this.basis.length;
      const prices = this.prices();
      const entering = this.mostProfitable(prices);
      if (entering === undefined) {
        const point = prices.slice(1).map((x) => Math.max(0, x));
        return point.every(Number.isFinite) ? { value: prices[0], point } : undefined;
      }
      if (!this.enter(entering)) return undefined;
    }
    return undefined;
  }

  private columnOf(variables: readonly number[], value: number, profit: number): Column {
    const values = new Float64Array(this.variables + 1);
    for (const v of variables) values[v + 1] += value;
    return { values, profit };
  }

  /** The first plane has all the weight, everything else is slack. */
  private restart(): void {
    const size = this.variables + 1;
    const [plane] = this.planes;
    this.basis = [plane, ...this.slacks];
    this.inverse = new Float64Array(size * size);
    this.levels = new Float64Array(size);
    this.inverse[0] = 1;
    this.levels[0] = 1;
    for (let row = 1; row < size; row++) {
      this.inverse[row * size] = -plane.values[row];
      this.inverse[row * size + row] = 1;
      this.levels[row] = perturbation * (1 + row / size) - plane.values[row];
    }
  }

  /** What a unit of each row's right side is worth: t, and then the variables. */
  private prices(): Float64Array {
    const { basis, inverse } = this;
    const size = basis.length;
    const prices = new Float64Array(size);
    for (let row = 0; row < size; row++) {
      const { profit } = basis[row];
      if (profit === 0) continue;
      for (let c = 0; c < size; c++) prices[c] += profit * inverse[row * size + c];
    }
    return prices;
  }

  private mostProfitable(prices: Float64Array): Column | undefined {
    let best: Column | undefined;
    let most = rounding;
    for (const columns of [this.planes, this.sums, this.slacks]) {
      for (const column of columns) {
        const gain = column.profit - product(column.values, prices);
        if (gain <= most) continue;
        most = gain;
        best = column;
      }
    }
    return best;
  }

  /** Brings a column into the basis; false where none would leave. */
  private enter(column: Column): boolean {
    const { inverse, levels, basis } = this;
    const size = levels.length;
    const direction = new Float64Array(size);
    let leaving = -1;
    let step = Number.POSITIVE_INFINITY;
    for (let row = 0; row < size; row++) {
      direction[row] = product(inverse.subarray(row * size, (row + 1) * size), column.values);
      if (direction[row] <= leastPivot || levels[row] >= step * direction[row]) continue;
      leaving = row;
      step = levels[row] / direction[row];
    }
    if (leaving < 0) return false;
    for (let c = 0; c < size; c++) inverse[leaving * size + c] /= direction[leaving];
    for (let row = 0; row < size; row++) {
      const factor = direction[row];
      if (row === leaving || factor === 0) continue;
      for (let c = 0; c < size; c++) inverse[row * size + c] -= factor * inverse[leaving * size + c];
      levels[row] = Math.max(0, levels[row] - factor * step);
    }
    levels[leaving] = step;
    basis[leaving] = column;
    return true;
  }
}

function product(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}
