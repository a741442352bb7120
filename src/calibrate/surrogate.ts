/** Times of points near values where they are known: cheap to compute, and easy to make fit by linear programming. */
import { ModelBuilder, type Solver } from '../solver/index.ts';
import { fitting } from './limits.ts';
import type { LinearPiece, TimeToExplain } from './model.ts';

/**
 * What pieces may be off a simulated time by: one that is more above it does not hold there and is forgotten, and where all are more below it another
 * one is looked for. What moves the mean error by less does not matter either, however sure it is.
 */
export const surrogateTolerance = 1e-3;

export class Surrogate {
  readonly points: readonly TimeToExplain[];
  private readonly pieces: LinearPiece[][];

  constructor(points: readonly TimeToExplain[]) {
    this.points = points;
    this.pieces = points.map(() => []);
  }

  /** The longest of a point's pieces at these values; 0 where it has none. */
  time(index: number, values: ArrayLike<number>): number {
    return this.pieces[index].reduce((most, piece) => Math.max(most, this.valueOf(piece, index, values)), 0);
  }

  /** Takes in what was found at `values`: pieces that say more than what is so go. */
  learn(index: number, values: ArrayLike<number>, time: number, piece: LinearPiece | undefined): void {
    const kept = this.pieces[index].filter(
      (each) => this.valueOf(each, index, values) <= time * (1 + surrogateTolerance),
    );
    this.pieces[index] = piece === undefined ? kept : [...kept, piece];
  }

  /** Mean |log(measured / time)| over some points. */
  loss(indices: readonly number[], values: ArrayLike<number>): number {
    const sum = indices.reduce(
      (total, index) => total + Math.abs(Math.log(this.points[index].measured / this.time(index, values))),
      0,
    );
    return sum / indices.length;
  }

  /**
   * Values near `values` at which the mean of |log(measured / time)| over `indices` is least, by a linear program in which the logarithm is
   * a line. It is right for small steps.
   * @param lower, upper bounds of every value; equal where one is to stay
   * @param pull what it costs a value to be far from its standard, per part of it
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

  /** The rows of a point: it misses by what its longest piece is too short, and by what any is too long. */
  private addPoint(builder: ModelBuilder, index: number, miss: number, values: Float64Array): void {
    const { measured, parameters } = this.points[index];
    const now = this.time(index, values);
    const off = Math.log(now / measured);
    let longest = true;
    const sorted = [...this.pieces[index]].sort(
      (a, b) => this.valueOf(b, index, values) - this.valueOf(a, index, values),
    );
    for (const piece of sorted) {
      if (this.valueOf(piece, index, values) < fitting.sayFrom * now) break;
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
