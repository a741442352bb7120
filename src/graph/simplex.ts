/** Linear programs whose columns are generated on demand (Ford and Fulkerson 1958). */
import { rounding } from '../ir/units.ts';

/**
 * The revised simplex method (Dantzig 1953): maximises the total value of the columns subject to the capacities of the
 * rows.
 */
export class Simplex {
  private readonly rows: number;
  private readonly room: Float64Array;
  /** The inverse of the basis, row by row. */
  private readonly inverse: Float64Array;
  /** By row, the objective coefficient of its basic column; 0 for slack. */
  private readonly worth: Float64Array;

  constructor(room: ArrayLike<number>) {
    this.rows = room.length;
    this.room = Float64Array.from(room);
    this.inverse = new Float64Array(this.rows ** 2);
    for (let row = 0; row < this.rows; row++) this.inverse[row * this.rows + row] = 1;
    this.worth = new Float64Array(this.rows);
  }

  /** The objective value. */
  value(): number {
    return this.worth.reduce((sum, worth, row) => sum + worth * this.room[row], 0);
  }

  /** Puts slack back into the basis of a row whose dual price is negative; false if there is none. */
  leaveRoom(prices: Float64Array): boolean {
    const negative = prices.findIndex((price) => price < -rounding);
    if (negative >= 0) this.add(new Float64Array(this.rows).fill(1, negative, negative + 1), 0);
    return negative >= 0;
  }

  /** The dual prices: the value of one more unit of each row's capacity. */
  prices(): Float64Array {
    const prices = new Float64Array(this.rows);
    for (let row = 0; row < this.rows; row++) {
      if (this.worth[row] === 0) continue;
      for (let column = 0; column < this.rows; column++) {
        prices[column] += this.worth[row] * this.inverse[row * this.rows + column];
      }
    }
    return prices;
  }

  /** Enters a column into the basis; false if nothing limits it (the program is unbounded). */
  add(column: ArrayLike<number>, worth = 1): boolean {
    const { rows, room, inverse } = this;
    const direction = new Float64Array(rows);
    for (let row = 0; row < rows; row++) {
      let sum = 0;
      for (let at = 0; at < rows; at++) if (column[at] !== 0) sum += inverse[row * rows + at] * column[at];
      direction[row] = sum;
    }
    let leaving = -1;
    for (let row = 0; row < rows; row++) {
      if (direction[row] <= rounding) continue;
      if (leaving < 0 || room[row] / direction[row] < room[leaving] / direction[leaving]) leaving = row;
    }
    if (leaving < 0) return false;
    const amount = room[leaving] / direction[leaving];
    for (let at = 0; at < rows; at++) inverse[leaving * rows + at] /= direction[leaving];
    for (let row = 0; row < rows; row++) {
      if (row === leaving || direction[row] === 0) continue;
      room[row] = Math.max(0, room[row] - direction[row] * amount);
      for (let at = 0; at < rows; at++) inverse[row * rows + at] -= direction[row] * inverse[leaving * rows + at];
    }
    room[leaving] = amount;
    this.worth[leaving] = worth;
    return true;
  }
}
