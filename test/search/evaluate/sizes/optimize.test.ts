/** `optimize` ends with chunks of unequal size where these gain. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../../../src/ir/limits.ts';
import { type OptimizeRequest, optimize } from '../../../../src/optimize/index.ts';
import { resolveTopology, withOverlap } from '../../../../src/read/index.ts';

function shipped(name: string) {
  const path = new URL(`../../../../schedules/${name}.yaml`, import.meta.url).pathname;
  return { name: path, text: readFileSync(path, 'utf8') };
}

describe('an exchange of halves that are reduced', () => {
  it('gets a small last message', async () => {
    const request: OptimizeRequest = {
      ...{ root: 0, op: 'sum', ordered: false, inPlace: false, parameters: {}, dtype: 'f32' },
      topology: withOverlap(resolveTopology('ring:2'), true),
      size: 2e6,
      limits: defaultLimits,
    };
    const { improvements, seconds, bundle } = await optimize(shipped('ring-reducescatter'), request);
    expect(improvements.at(-1)?.what).toBe('messages of unequal size');
    // α = 1 µs, β = 10 GB/s, γ = 50 GB/s: of k equal messages of S/k = 1 MB/k the last is reduced for S/kγ, and all cost α.
    const equal = [1, 2, 3, 4, 5, 6].map((k) => k * 1e-6 + 1e6 / 10e9 + 1e6 / k / 50e9);
    expect(seconds).toBeLessThan(Math.min(...equal) * 0.98);
    const messages = bundle.proved.plan.ops.srcCount.filter(
      (count, o) => bundle.proved.plan.ops.peer[o] >= 0 && count > 0,
    );
    expect(new Set(messages).size).toBeGreaterThan(1);
  });
});
