/** Sizes as whole numbers of small chunks. */
import { greatestCommonDivisor } from '../../../ir/whole-numbers.ts';
import type { SizeClasses } from '../../../passes/index.ts';
import type { Sized } from './best-sizes.ts';

/** Chunks per shard that the sizes are rounded to, and what rounding may cost. */
const roundings = [16, 32, 64, 128, 256, 512, 1024, 2048] as const;
const roundingLoss = 1.0005;

/**
 * By class, the sizes in as few chunks per shard as lose next to nothing, or else in the best that there are.
 *
 * @param most chunks of a shard: more are smaller than what messages are made of
 */
export function minChunkCounts({ sizing, parts, seconds }: Sized, most: number): Int32Array | undefined {
  const { classes } = sizing;
  let found: Int32Array | undefined;
  let least = Number.POSITIVE_INFINITY;
  const multiple = commonMultiplicity(classes);
  for (const rounding of roundings) {
    const chunks = rounding * multiple;
    if (chunks > most) break;
    const counts = wholeSizes(classes, parts, chunks);
    if (counts === undefined) continue;
    const rounded = sizing.run(Float64Array.from(counts, (count) => count / chunks)).seconds;
    if (rounded < least) [found, least] = [counts, rounded];
    if (least <= seconds * roundingLoss) break;
  }
  return found;
}

/** How many chunks of every class all shards have, or a multiple: what a shard's chunks are to be divided by. */
function commonMultiplicity({ shards, count }: SizeClasses): number {
  let common = 0;
  for (const shard of shards) {
    const times = new Int32Array(count);
    for (const of of shard) times[of]++;
    common = times.reduce(greatestCommonDivisor, common);
  }
  return common;
}

/**
 * Shares `chunks` chunks of a shard among its classes, as nearly in proportion as whole numbers can be (largest remainders).
 *
 * @param parts by class; those of a shard add up to 1
 * @returns by class, or undefined where shards that share classes cannot all add up to `chunks`
 */
export function wholeSizes(
  { shards, count }: SizeClasses,
  parts: Float64Array,
  chunks: number,
): Int32Array | undefined {
  const sizes = Int32Array.from(parts, (part) => Math.floor(part * chunks + 1e-6));
  const remainder = (of: number): number => parts[of] * chunks - sizes[of];
  const isSet = new Uint8Array(count);
  for (const shard of shards) {
    const open = [...new Set(shard)].filter((of) => isSet[of] === 0);
    open.sort((a, b) => remainder(b) - remainder(a) || a - b);
    let missing = chunks - shard.reduce((sum, of) => sum + sizes[of], 0);
    for (const of of open) {
      const times = shard.filter((other) => other === of).length;
      if (missing < times) continue;
      sizes[of]++;
      missing -= times;
    }
    if (missing !== 0) return undefined;
    for (const of of shard) isSet[of] = 1;
  }
  return sizes;
}
