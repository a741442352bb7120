/** The noise floor: the error that remains when a line a + bM is fitted to the times of each configuration by itself. */
import type { MeasuredTime } from './configuration.ts';

export interface FittedLine {
  readonly constant: number;
  readonly perByte: number;
}

/**
 * Fits the line a + bM that minimises Σ ((a + bM − T) / T)² subject to a, b ≥ 0. A model that predicts such a line for each plan cannot
 * have a much smaller error.
 */
export function lineThrough(times: readonly MeasuredTime[]): FittedLine {
  let [aa, ab, bb, a, b] = [0, 0, 0, 0, 0];
  for (const { size, seconds } of times) {
    const weight = 1 / seconds ** 2;
    aa += weight;
    ab += weight * size;
    bb += weight * size * size;
    a += weight * seconds;
    b += weight * size * seconds;
  }
  const determinant = aa * bb - ab * ab;
  const constant = (a * bb - b * ab) / determinant;
  const perByte = (b * aa - a * ab) / determinant;
  if (times.length > 1 && determinant > 0 && constant >= 0 && perByte >= 0) return { constant, perByte };
  const level = { constant: a / aa, perByte: 0 };
  // Through a single time there is a line for every slope, and a single size of 0 bytes determines none.
  if (bb === 0 || times.length === 1) return level;
  const slope = { constant: 0, perByte: b / bb };
  return missOf(times, level) <= missOf(times, slope) ? level : slope;
}

function missOf(times: readonly MeasuredTime[], line: FittedLine): number {
  return times.reduce((sum, { size, seconds }) => sum + (timeOn(line, size) / seconds - 1) ** 2, 0);
}

export function timeOn({ constant, perByte }: FittedLine, size: number): number {
  return constant + perByte * size;
}
