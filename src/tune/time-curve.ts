/**
 * The time of one plan as a function of the message size. It is piecewise linear, since which latencies and bandwidths
 * add up changes at few sizes. If three simulated times lie on a line, all sizes between them are interpolated, so that
 * few simulations give the times at all sizes.
 */
import { type Bytes, rounding, type Seconds } from '../ir/units.ts';

interface Point {
  readonly size: Bytes;
  readonly seconds: Seconds;
}

export class TimeCurve {
  private readonly simulated: (size: Bytes) => Seconds;
  /** Simulated points by ascending size. */
  private readonly points: Point[] = [];
  /** Whether the section from the point of the same index to the next one is known to be linear. */
  private readonly isLine: boolean[] = [];

  /** @param simulated simulates a message of the given size */
  constructor(simulated: (size: Bytes) => Seconds) {
    this.simulated = simulated;
  }

  /** Adds a time that is already known. */
  learn(size: Bytes, seconds: Seconds): void {
    const index = this.indexOf(size);
    if (this.points[index]?.size !== size) this.insert(index, { size, seconds });
  }

  /** The time of a message of `size` bytes, interpolated on linear sections. */
  at(size: Bytes): Seconds {
    const index = this.indexOf(size);
    if (this.points[index]?.size === size) return this.points[index].seconds;
    if (index > 0 && this.isLine[index - 1]) return timeBetween(this.points[index - 1], this.points[index], size);
    return this.simulateAt(size);
  }

  /** The simulated time, even on a linear section. */
  exactlyAt(size: Bytes): Seconds {
    const point = this.points[this.indexOf(size)];
    return point?.size === size ? point.seconds : this.simulateAt(size);
  }

  private simulateAt(size: Bytes): Seconds {
    const seconds = this.simulated(size);
    this.learn(size, seconds);
    return seconds;
  }

  /** The index of the first point not below `size`. */
  private indexOf(size: Bytes): number {
    let [low, high] = [0, this.points.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.points[middle].size < size) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private insert(index: number, point: Point): void {
    // A linear section stays linear when it is divided.
    const within = index > 0 && this.isLine[index - 1] === true;
    this.points.splice(index, 0, point);
    this.isLine.splice(index, 0, within);
    for (let middle = index - 1; middle <= index + 1; middle++) this.findLine(middle);
  }

  private findLine(middle: number): void {
    if (middle < 1 || middle + 1 >= this.points.length) return;
    const [before, point, after] = this.points.slice(middle - 1, middle + 2);
    const difference = Math.abs(timeBetween(before, after, point.size) - point.seconds);
    if (difference > point.seconds * rounding) return;
    this.isLine[middle - 1] = true;
    this.isLine[middle] = true;
  }
}

function timeBetween(low: Point, high: Point, size: Bytes): Seconds {
  return low.seconds + ((high.seconds - low.seconds) * (size - low.size)) / (high.size - low.size);
}
