/**
 * Times of one plan over sizes. A plan's time is made of latencies and of bytes over bandwidths, and which of them add up changes at
 * few sizes: between these it is a straight line. Three simulated times on one line are taken to have it all between them, so that
 * few simulations tell the times at all sizes.
 */
import { type Bytes, rounding, type Seconds } from '../ir/units.ts';

interface Point {
  readonly size: Bytes;
  readonly seconds: Seconds;
}

export class TimeCurve {
  private readonly simulated: (size: Bytes) => Seconds;
  /** Simulated, by ascending sizes. */
  private readonly points: Point[] = [];
  /** Whether times from the point of the same index to the next one lie on a line. */
  private readonly isLine: boolean[] = [];

  /** @param simulated what a simulation of a message of so many bytes says */
  constructor(simulated: (size: Bytes) => Seconds) {
    this.simulated = simulated;
  }

  /** Takes up what is known already. */
  learn(size: Bytes, seconds: Seconds): void {
    const index = this.indexOf(size);
    if (this.points[index]?.size !== size) this.insert(index, { size, seconds });
  }

  /** The time of a message of `size` bytes, read off a line where there is one. */
  at(size: Bytes): Seconds {
    const index = this.indexOf(size);
    if (this.points[index]?.size === size) return this.points[index].seconds;
    if (index > 0 && this.isLine[index - 1]) return timeBetween(this.points[index - 1], this.points[index], size);
    return this.simulateAt(size);
  }

  /** The simulated time, also where a line would tell it but for rounding. */
  exactlyAt(size: Bytes): Seconds {
    const point = this.points[this.indexOf(size)];
    return point?.size === size ? point.seconds : this.simulateAt(size);
  }

  private simulateAt(size: Bytes): Seconds {
    const seconds = this.simulated(size);
    this.learn(size, seconds);
    return seconds;
  }

  /** The first point that is not below `size`. */
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
    // A line stays one when it is divided.
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
