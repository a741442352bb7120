/** Splits configurations into those that are fitted and those that are held out to judge the fit. */
import { CccError } from '../ir/diagnostic.ts';
import { counted } from '../ir/units.ts';
import type { Configuration } from './configuration.ts';
import { groupedBy } from './errors.ts';

/** The generator mulberry32 of Tommy Ettinger: small, seeded, and good enough for drawing configurations. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Split {
  readonly fitted: readonly Configuration[];
  readonly left: readonly Configuration[];
}

/**
 * Holds out `out` configurations, drawn with a seed, so that every protocol keeps at least one configuration if possible.
 * @throws CccError 'usage' if none would be left to fit
 */
export function splitOf(configurations: readonly Configuration[], out: number, seed: number): Split {
  if (out > 0 && out >= configurations.length) {
    const message = `of ${counted(configurations.length, 'configuration')} ${out} cannot be left out: none would be fitted`;
    throw new CccError('usage', message);
  }
  const random = generator(seed);
  const shuffled = configurations
    .map((configuration) => ({ configuration, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ configuration }) => configuration);
  const byProtocol = [...groupedBy(shuffled, ({ protocol }) => protocol ?? '').values()];
  const wanted = configurations.length - out;
  const fitted = new Set<Configuration>();
  for (let turn = 0; fitted.size < wanted; turn++) {
    for (const group of byProtocol) if (turn < group.length && fitted.size < wanted) fitted.add(group[turn]);
  }
  return {
    fitted: configurations.filter((configuration) => fitted.has(configuration)),
    left: configurations.filter((configuration) => !fitted.has(configuration)),
  };
}
