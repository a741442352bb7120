import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layeredInTree } from '../../../src/compact/synth/layered-tree.ts';
import { TranslationGroup } from '../../../src/ir/translation-group.ts';
import { drawn } from '../../draw.ts';
import { standardLink, torus } from '../machines.ts';

/** Steps along each axis, the shorter way round. */
function distance(shape: readonly number[], rank: number): number {
  let rest = rank;
  let steps = 0;
  for (const extent of [...shape].reverse()) {
    const coordinate = rest % extent;
    steps += Math.min(coordinate, extent - coordinate);
    rest = (rest - coordinate) / extent;
  }
  return steps;
}

describe('the in-tree by layers', () => {
  const shapes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 });

  it('brings every chunk of every other rank once, over a shortest way, in the step of its distance', () => {
    fc.assert(
      fc.property(shapes, fc.integer({ min: 1, max: 3 }), (shape, chunks) => {
        const group = new TranslationGroup(shape);
        const { generators } = torus(shape);
        const tree = layeredInTree(group, generators, chunks);
        const brought = new Set<number>();
        for (let step = 0; step < tree.stepCount; step++) {
          generators.forEach(({ offset }, g) => {
            const cell = step * generators.length + g;
            for (let row = tree.firstRow[cell]; row < tree.firstRow[cell + 1]; row++) {
              const shard = tree.shard[row];
              brought.add(shard * chunks + tree.chunk[row]);
              expect(distance(shape, shard)).toBe(step + 1);
              expect(distance(shape, group.add(shard, offset))).toBe(step);
            }
          });
        }
        expect(brought.size).toBe((group.order - 1) * chunks);
        expect(tree.shard.length).toBe(brought.size);
      }),
      drawn(100),
    );
  });

  it('shares the layers of a torus evenly among the links', () => {
    for (const [shape, chunks] of [
      [[32, 32], 4],
      [[9, 9], 1],
      [[5, 5, 5], 1],
    ] as const) {
      const group = new TranslationGroup(shape);
      const { generators } = torus(shape);
      const { firstRow, stepCount } = layeredInTree(group, generators, chunks);
      for (let step = 0; step < stepCount; step++) {
        const loads = generators.map((_, g) => {
          const cell = step * generators.length + g;
          return firstRow[cell + 1] - firstRow[cell];
        });
        const fair = Math.ceil(loads.reduce((sum, load) => sum + load) / generators.length);
        expect(Math.max(...loads)).toBe(fair);
      }
    }
  });

  it('gives fast links more', () => {
    const { generators } = torus([7, 7], [{ ...standardLink, bandwidth: 3e10 }, standardLink]);
    const { firstRow } = layeredInTree(new TranslationGroup([7, 7]), generators, 1);
    const loads = generators.map((_, g) => firstRow[4 + g + 1] - firstRow[4 + g]);
    // The second layer has 8 shards: 4 straight on, one per link, and 4 that can come over a fast or a slow link.
    expect(generators.map(({ bandwidth }, g) => [bandwidth, loads[g]])).toEqual([
      [1e10, 1],
      [1e10, 1],
      [3e10, 3],
      [3e10, 3],
    ]);
  });

  it('needs generators that reach everyone', () => {
    const { generators } = torus([4, 4]);
    expect(() => layeredInTree(new TranslationGroup([4, 4]), generators.slice(0, 2), 1)).toThrow('do not reach');
  });
});
