/**
 * Multiplicative weights for link lengths (after Garg and Könemann 2007, Fleischer 2000): the length of a link grows
 * with its load. Loads of past rounds are remembered with decay, so that links that are busy alternately become longer
 * together.
 */
import type { Bytes, BytesPerSecond } from '../../ir/units.ts';
import { weighing } from '../limits.ts';

export class LinkWeights {
  /** By link; the longest link has length 1 after the first round. */
  readonly lengths: Float64Array;
  private readonly bandwidths: ArrayLike<BytesPerSecond>;
  /** By link, the seconds that it is busy in this round. */
  private readonly load: Float64Array;
  private readonly first: number;
  private round = 0;

  /**
   * @param lengths the initial lengths
   * @param first the step size is this divided by (rounds so far + `slowness`); it is the exponent by which the busiest
   * link grows relative to an idle one
   */
  constructor(bandwidths: ArrayLike<BytesPerSecond>, lengths: Float64Array, first: number) {
    this.lengths = lengths;
    this.bandwidths = bandwidths;
    this.load = new Float64Array(lengths.length);
    this.first = first;
  }

  /** Starts a round. */
  begin(): void {
    for (let link = 0; link < this.load.length; link++) this.load[link] *= weighing.remembered;
  }

  /** Charges bytes to a link in this round. */
  add(link: number, bytes: Bytes): void {
    this.load[link] += ((1 - weighing.remembered) * bytes) / this.bandwidths[link];
  }

  /** Ends a round in which some link was busy: updates the lengths. */
  end(): void {
    const { lengths, load } = this;
    const busiest = load.reduce((most, seconds) => Math.max(most, seconds), 0);
    const power = this.first / (this.round++ + weighing.slowness);
    let longest = 0;
    for (let link = 0; link < load.length; link++) {
      lengths[link] *= Math.exp(power * (load[link] / busiest - 1));
      longest = Math.max(longest, lengths[link]);
    }
    for (let link = 0; link < load.length; link++) lengths[link] /= longest;
  }
}
