/** A piecewise-linear surrogate of the simulated times: cheap to evaluate, and easy to fit by linear programming. */
import { ModelBuilder, type Solver } from '../solver/index.ts';
import { fitting } from './limits.ts';
import type { LinearPiece, TimeToExplain } from './model.ts';

/**
 * The tolerance between pieces and simulated times. A piece that exceeds the simulated time by more is dropped; if all pieces of a point are
 * below it by more, another piece is computed. Changes of the mean error by less than this do not matter either.
 */
export const surrogateTolerance = 1e-3;

export class Surrogate {
  readonly points: readonly TimeToExplain[];
  private readonly pieces: LinearPiece[][];

  constructor(points: readonly TimeToExplain[]) {
    this.points = points;
    this.pieces = points.map(() => []);
  }

  /** The surrogate time of a point: the maximum of its pieces at these values; 0 if it has none. */
  time(index: number, values: ArrayLike<number>): number {
    return this.pieces[index].reduce((most, piece) => Math.max(most, this.valueOf(piece, index, values)), 0);
  }

  /** Adds the pieces found at `values`, and drops pieces that exceed the simulated times there. */
  learn(index: number, values: ArrayLike<number>, time: number, piece: LinearPiece | undefined): void {
    const kept = this.pieces[index].filter(
      (each) => this.valueOf(each, index, values) <= time * (1 + surrogateTolerance),
    );
    this.pieces[index] = piece === undefined ? kept : [...kept, piece];
  }

  /** The loss: the mean of |log(measured / time)| over some points. */
  loss(indices: readonly number[], values: ArrayLike<number>): number {
    const sum = indices.reduce(
      (total, index) => total + Math.abs(Math.log(this.points[index].measured / this.time(index, values))),
      0,
    );
    return sum / indices.length;
  }

  /**
   * Minimises the loss over the points `indices` near `values` by a linear program in which logarithms are linearised, which is accurate for
   * small steps.
   * @param lower, upper bounds of every value; equal for values that stay
   * @param pull the penalty for each unit of |log(value / standard)|
   */
  step(
    solver: Solver,
    indices: readonly number[],
    values: Float64Array,
    { lower, upper, standard, pull }: StepBounds,
  ): Float64Array {
    const builder = new ModelBuilder();
    // Column p is the value of parameter p as a share of what it is now.
    values.forEach((value, p) => {
      builder.column({ lower: lower[p] / value, upper: upper[p] / value, whole: false });
    });
    const misses = indices.map(() =>
      builder.column({ lower: 0, upper: Number.POSITIVE_INFINITY, whole: false, cost: 1 / indices.length }),
    );
    const pulled = values.map(() =>
      builder.column({ lower: 0, upper: Number.POSITIVE_INFINITY, whole: false, cost: pull }),
    );
    indices.forEach((index, at) => {
      this.addPoint(builder, index, misses[at], values);
    });
    values.forEach((value, p) => {
      // |log(share · value / standard)| ≤ the pulled column, from both sides, with the logarithm as a line.
      const off = Math.log(value / standard[p]) - 1;
      builder.row(Number.NEGATIVE_INFINITY, -off);
      builder.add(p, 1);
      builder.add(pulled[p], -1);
      builder.row(-off, Number.POSITIVE_INFINITY);
      builder.add(p, 1);
      builder.add(pulled[p], 1);
    });
    const answer = solver.solve(builder.build());
    if (answer.status !== 'optimal' && answer.status !== 'feasible') return values;
    return values.map((value, p) => Math.min(upper[p], Math.max(lower[p], value * answer.values[p])));
  }

  /** The rows of a point: its error is how much its longest piece is too short, or how much any piece is too long. */
  private addPoint(builder: ModelBuilder, index: number, miss: number, values: Float64Array): void {
    const { measured, parameters } = this.points[index];
    const now = this.time(index, values);
    const off = Math.log(now / measured);
    let longest = true;
    const sorted = [...this.pieces[index]].sort(
      (a, b) => this.valueOf(b, index, values) - this.valueOf(a, index, values),
    );
    for (const piece of sorted) {
      if (this.valueOf(piece, index, values) < fitting.minPieceShare * now) break;
      // log(time / measured) ≈ off + (time − now) / now, where time = constant + Σ slope · value · share.
      const constant = off - 1 + piece.constant / now;
      const addSlopes = (): void => {
        parameters.forEach((p, at) => {
          builder.add(p, (piece.slopes[at] * values[p]) / now);
        });
      };
      builder.row(Number.NEGATIVE_INFINITY, -constant);
      addSlopes();
      builder.add(miss, -1);
      if (longest) {
        builder.row(-constant, Number.POSITIVE_INFINITY);
        addSlopes();
        builder.add(miss, 1);
      }
      longest = false;
    }
  }

  private valueOf({ constant, slopes }: LinearPiece, index: number, values: ArrayLike<number>): number {
    const { parameters } = this.points[index];
    let time = constant;
    for (let at = 0; at < parameters.length; at++) time += slopes[at] * values[parameters[at]];
    return time;
  }
}

export interface StepBounds {
  readonly lower: ArrayLike<number>;
  readonly upper: ArrayLike<number>;
  readonly standard: ArrayLike<number>;
  readonly pull: number;
}
