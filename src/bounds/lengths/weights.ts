/**
 * Lengths of links that grow with what crosses them: multiplicative weights (after Garg and Könemann 2007, Fleischer 2000). What crossed
 * before is remembered, and counts less from round to round; so links that are busy by turns become longer together.
 */
import type { Bytes, BytesPerSecond } from '../../ir/units.ts';
import { weighing } from '../limits.ts';

export class LinkWeights {
  /** By link, the longest 1 after the first round. */
  readonly lengths: Float64Array;
  private readonly bandwidths: ArrayLike<BytesPerSecond>;
  /** Seconds that each link is busy in a round. */
  private readonly load: Float64Array;
  private readonly first: number;
  private round = 0;

  /**
   * @param lengths to begin with
   * @param first of this, over the rounds so far and `slowness`, the power by which the busiest link becomes longer than an idle one
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

  /** In this round so many bytes more cross a link. */
  add(link: number, bytes: Bytes): void {
    this.load[link] += ((1 - weighing.remembered) * bytes) / this.bandwidths[link];
  }

  /** Ends a round, in which some link is busy. */
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
