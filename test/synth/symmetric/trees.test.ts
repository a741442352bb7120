/** The search for translation-invariant out-trees, checked against what such trees are, and against counting bounds. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TranslationGroup } from '../../../src/ir/translation-group.ts';
import {
  layerRounds,
  type OutTrees,
  searchOutTrees,
  type TreeGenerator,
} from '../../../src/synth/symmetric/out-tree.ts';
import { drawn } from '../../draw.ts';

/** One place up and one down on each axis. */
function neighbours(shape: readonly number[], units: readonly number[] = shape.map(() => 1)): TreeGenerator[] {
  const found = new Map<number, TreeGenerator>();
  let stride = shape.reduce((product, extent) => product * extent, 1);
  shape.forEach((extent, axis) => {
    stride /= extent;
    for (const offset of [stride, stride * (extent - 1)]) found.set(offset, { offset, units: units[axis] });
  });
  return [...found.values()];
}

/** What makes a table of edges out-trees: every chunk reaches every offset once, from where it was a step before, within the rounds. */
function expectOutTrees(
  shape: readonly number[],
  generators: readonly TreeGenerator[],
  chunks: number,
  trees: OutTrees,
  rounds: readonly number[] = [],
): void {
  const group = new TranslationGroup(shape);
  const arrival = new Map<string, number>();
  for (let chunk = 0; chunk < chunks; chunk++) arrival.set(`${chunk} 0`, -1);
  const load = new Map<string, number>();
  for (let row = 0; row < trees.step.length; row++) {
    const [step, generator, chunk, offset] = [trees.step, trees.generator, trees.chunk, trees.offset].map(
      (c) => c[row],
    );
    const parent = group.add(offset, group.negate(generators[generator].offset));
    expect(arrival.has(`${chunk} ${offset}`)).toBe(false);
    expect(arrival.get(`${chunk} ${parent}`)).toBeLessThan(step);
    arrival.set(`${chunk} ${offset}`, step);
    const slot = `${step} ${generator}`;
    load.set(slot, (load.get(slot) ?? 0) + 1);
    expect(load.get(slot)).toBeLessThanOrEqual(generators[generator].units * (rounds[step] ?? 1));
  }
  expect(arrival.size).toBe(group.order * chunks);
  expect(trees.stepCount).toBe(Math.max(...trees.step) + 1);
}

const shapeArbitrary = fc.array(fc.integer({ min: 2, max: 6 }), { minLength: 1, maxLength: 3 });

describe('searchOutTrees', () => {
  it.each([
    // Extents, C, and the least number of steps: all chunks but one's own over the links of a chip, one each per step.
    [[4], 1, 2],
    [[16], 1, 8],
    [[64], 1, 32],
    [[16], 4, 30],
    [[64], 4, 126],
    [[9], 1, 4],
    [[4, 4], 1, 4],
    [[8, 8], 1, 16],
    [[32, 32], 1, 256],
    [[8, 8], 4, 63],
    [[16, 16], 4, 255],
    [[4, 4, 4], 1, 11],
    [[8, 8, 8], 1, 86],
    [[3, 5, 7], 1, 18],
    [[2, 32], 1, 21],
    [[2, 2, 2], 1, 3],
    [[2, 2, 2, 2], 1, 4],
    [[2, 2, 2, 2, 2, 2], 1, 11],
    [[200, 200], 1, 10_000],
  ])('takes the fewest steps on %j with %i chunks', (shape, chunks, least) => {
    const trees = searchOutTrees(new TranslationGroup(shape), neighbours(shape), chunks, 0);
    expect(trees.stepCount).toBe(least);
  });

  it('makes out-trees on any shape', () => {
    const property = fc.property(shapeArbitrary, fc.integer({ min: 1, max: 4 }), fc.nat(), (shape, chunks, seed) => {
      const generators = neighbours(shape);
      const trees = searchOutTrees(new TranslationGroup(shape), generators, chunks, seed);
      expectOutTrees(shape, generators, chunks, trees);
    });
    fc.assert(property, drawn(60));
  });

  it('lets wide links carry more', () => {
    // Rings of 8 with 3 units, joined by links of 1: four of 63 offsets in the first step, then 2 · (3 + 1).
    const generators = neighbours([8, 8], [1, 3]);
    const trees = searchOutTrees(new TranslationGroup([8, 8]), generators, 1, 0);
    expectOutTrees([8, 8], generators, 1, trees);
    expect(trees.stepCount).toBe(9);
  });

  it('finds the same trees for the same seed, others for another', () => {
    const search = (seed: number) => searchOutTrees(new TranslationGroup([5, 5]), neighbours([5, 5]), 2, seed);
    expect(search(7)).toEqual(search(7));
    expect(search(7)).not.toEqual(search(8));
  });

  it('does not go on for ever where links do not lead everywhere', () => {
    const [first] = neighbours([3, 3]);
    expect(() => searchOutTrees(new TranslationGroup([3, 3]), [first], 1, 0)).toThrow('do not reach every rank');
  });
});

describe('layerRounds', () => {
  it.each([
    [[4, 4], 4, 15],
    [[8, 8], 1, 16],
    [[16, 16], 1, 64],
    [[2, 2, 2], 3, 7],
    [[2, 2, 2, 2, 2, 2], 2, 21],
    [[8, 8, 8], 1, 86],
    [[3, 16], 4, 47],
    [[7], 3, 9],
  ])(
    'keeps to the fewest steps and the fewest chunks per link at once on %j with %i chunks',
    (shape, chunks, fewest) => {
      const group = new TranslationGroup(shape);
      const generators = neighbours(shape);
      const width = shape.reduce((sum, extent) => sum + Math.floor(extent / 2), 0);
      const rounds = layerRounds(group, generators, chunks);
      const trees = searchOutTrees(group, generators, chunks, 0, rounds);
      expectOutTrees(shape, generators, chunks, trees, rounds);
      expect(trees.stepCount).toBe(width);
      expect(rounds.reduce((sum, r) => sum + r, 0)).toBe(fewest);
    },
  );
});
