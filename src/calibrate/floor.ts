/** The floor of noise: what is left of a configuration's times when it gets a line a + bM of its own. */
import type { MeasuredTime } from './configuration.ts';

export interface FittedLine {
  readonly constant: number;
  readonly perByte: number;
}

/**
 * The line with the least Σ ((a + bM − T) / T)² and a, b ≥ 0.
 * No model whose times are such lines for each plan can come nearer than about this.
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
  // One time is on every line; one without bytes has no slope.
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
