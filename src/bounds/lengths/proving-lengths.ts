/** Link lengths, and the time that they prove (lengths.ts). */
import { weighing } from '../limits.ts';

/** Integer lengths by link, and the seconds per byte of message that they prove, without latencies. */
export interface ProvingLengths {
  readonly lengths: readonly number[];
  readonly secondsPerByte: number;
}

/** Scales lengths to integers of at most 1000. */
export function roundedLengths(lengths: ArrayLike<number>): number[] {
  let most = 0;
  for (let link = 0; link < lengths.length; link++) if (lengths[link] > most) most = lengths[link];
  const whole: number[] = [];
  for (let link = 0; link < lengths.length; link++) {
    whole.push(most === 0 ? 0 : Math.round((lengths[link] / most) * weighing.longest));
  }
  return whole;
}
