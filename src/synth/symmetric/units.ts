/** Bandwidths as small whole numbers. */
import { mostUnits, tolerance } from '../limits.ts';
import type { SymmetricMachine } from './machine.ts';
import type { Generator } from './out-tree.ts';

/**
 * A machine's generators with units that are to each other as their bandwidths: to a per cent with as few as do it, else as nearly as they can.
 */
export function unitsOf({ generators }: SymmetricMachine): readonly Generator[] {
  const slowest = generators.reduce((least, { link }) => Math.min(least, link.bandwidth), Number.POSITIVE_INFINITY);
  const ratios = generators.map(({ link }) => link.bandwidth / slowest);
  const finest = mostUnits / Math.max(...ratios);
  let best = 1;
  for (let scale = 2; scale <= finest && misfit(ratios, best) > tolerance; scale++) {
    if (misfit(ratios, scale) < misfit(ratios, best)) best = scale;
  }
  return generators.map(({ offset }, i) => ({ offset, units: Math.max(1, Math.round(ratios[i] * best)) }));
}

/** How far the ratios are from multiples of 1 / scale at most, as a share of themselves. */
function misfit(ratios: readonly number[], scale: number): number {
  return Math.max(...ratios.map((ratio) => Math.abs(ratio - Math.round(ratio * scale) / scale) / ratio));
}
