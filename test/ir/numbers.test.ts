import { describe, expect, it } from 'vitest';
import { DisjointSets } from '../../src/ir/disjoint-sets.ts';
import { Random } from '../../src/ir/random.ts';
import { shapesOf } from '../../src/ir/translation-group.ts';
import { testSeed } from '../draw.ts';

describe('the shapes of N ranks', () => {
  /** Ordered factorisations: any first extent, then those of the rest (Kalmár 1931). */
  const countOf = (order: number): number => {
    let count = 1;
    for (let first = 2; first < order; first++) if (order % first === 0) count += countOf(order / first);
    return count;
  };

  it('are all ordered products of extents of at least two, each once', () => {
    for (let order = 2; order <= 120; order++) {
      const shapes = [...shapesOf(order)];
      expect(shapes).toHaveLength(countOf(order));
      expect(new Set(shapes.map((shape) => shape.join(' '))).size).toBe(shapes.length);
      for (const shape of shapes) expect(shape.reduce((product, extent) => product * extent, 1)).toBe(order);
      expect(shapes.flat().every((extent) => extent >= 2)).toBe(true);
    }
    expect([...shapesOf(1)]).toEqual([[]]);
  });

  it('come with few axes first, so that a limit leaves out those with many', () => {
    // 4096 ranks have 2¹¹ shapes.
    const first = [...shapesOf(4096, 100)].map(({ length }) => length);
    expect(first).toHaveLength(100);
    expect(first).toEqual([...first].sort((a, b) => a - b));
    expect([...shapesOf(4096, 1)]).toEqual([[4096]]);
  });
});

describe('disjoint sets', () => {
  it('know what has been joined, over however many others, by its least number', () => {
    const random = new Random(testSeed + 7);
    for (let trial = 0; trial < 50; trial++) {
      const sets = new DisjointSets(30);
      // The plain way: every number has a label, and joining relabels all.
      const labels = Array.from({ length: 30 }, (_, number) => number);
      for (let join = 0; join < 25; join++) {
        const [a, b] = [random.below(30), random.below(30)];
        const [keep, drop] = [Math.min(labels[a], labels[b]), Math.max(labels[a], labels[b])];
        expect(sets.join(a, b)).toBe(keep !== drop);
        labels.forEach((label, number) => {
          if (label === drop) labels[number] = keep;
        });
        expect(labels.map((_, number) => sets.of(number))).toEqual(labels);
      }
    }
  });
});
