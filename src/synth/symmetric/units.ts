/** Bandwidths as small whole numbers. */
import type { SymmetricMachine } from './machine.ts';
import type { Generator } from './out-tree.ts';

/** The slowest link counts as at most so many units. */
const finest = 8;

/**
 * A machine's generators with units that are to each other as their bandwidths: exactly where at most 8 units for the
 * slowest do it, else as nearly as they can.
 */
export function unitsOf({ generators }: SymmetricMachine): readonly Generator[] {
  const slowest = generators.reduce((least, { link }) => Math.min(least, link.bandwidth), Number.POSITIVE_INFINITY);
  const ratios = generators.map(({ link }) => link.bandwidth / slowest);
  let best = 1;
  for (let scale = 2; scale <= finest; scale++) if (misfit(ratios, scale) < misfit(ratios, best)) best = scale;
  return generators.map(({ offset }, i) => ({ offset, units: Math.max(1, Math.round(ratios[i] * best)) }));
}

/** How far the ratios are from multiples of 1 / scale at most; differences of rounding count as none. */
function misfit(ratios: readonly number[], scale: number): number {
  const worst = Math.max(...ratios.map((ratio) => Math.abs(ratio - Math.round(ratio * scale) / scale) / ratio));
  return worst < 1e-9 ? 0 : worst;
}
