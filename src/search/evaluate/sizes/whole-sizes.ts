/** Rounds chunk sizes to whole numbers of small chunks. */
import { greatestCommonDivisor } from '../../../ir/whole-numbers.ts';
import type { SizeClasses } from '../../../passes/index.ts';
import type { Sized } from './best-sizes.ts';

/** Numbers of chunks per shard that are tried, and the loss that rounding may cause. */
const roundings = [16, 32, 64, 128, 256, 512, 1024, 2048] as const;
const roundingLoss = 1.0005;

/**
 * By class, the sizes in the fewest chunks per shard that lose next to nothing, or else in the number that loses the
 * least.
 * @param most maximum number of chunks per shard, beyond which chunks are smaller than the alignment of messages
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

/** A common divisor of the number of chunks that each class contributes to a shard, over all shards. */
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
 * Distributes `chunks` chunks of a shard over its classes in proportion to `parts` (method of largest remainders).
 * @param parts by class; those of a shard add up to 1
 * @returns by class; undefined if shards that share classes cannot all add up to `chunks`
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
