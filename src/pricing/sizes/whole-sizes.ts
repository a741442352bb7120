/** Sizes as whole numbers of small chunks. */
import type { SizeClasses } from '../../passes/index.ts';

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
  const isSet = new Uint8Array(count);
  for (const shard of shards) {
    const open = [...new Set(shard)].filter((of) => isSet[of] === 0);
    open.sort((a, b) => remainder(parts[b] * chunks) - remainder(parts[a] * chunks) || a - b);
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

function remainder(value: number): number {
  return value - Math.floor(value + 1e-6);
}
