/** Lengths of links, and what they prove (lengths.ts). */
import { weighing } from '../limits.ts';

/** Lengths by link, whole numbers, and what they prove for a message of one byte, without α. */
export interface ProvingLengths {
  readonly lengths: readonly number[];
  readonly secondsPerByte: number;
}

/** Lengths as whole numbers of at most 1000. */
export function roundedLengths(lengths: ArrayLike<number>): number[] {
  let most = 0;
  for (let link = 0; link < lengths.length; link++) if (lengths[link] > most) most = lengths[link];
  const whole: number[] = [];
  for (let link = 0; link < lengths.length; link++) {
    whole.push(most === 0 ? 0 : Math.round((lengths[link] / most) * weighing.longest));
  }
  return whole;
}
