import { expect, it } from 'vitest';
import { TranslationGroup } from '../../src/ir/translation-group.ts';

/** Coordinates, last axis fastest. */
function coordinatesOf(rank: number, shape: readonly number[]): readonly number[] {
  const coordinates: number[] = [];
  for (let axis = shape.length - 1, rest = rank; axis >= 0; axis--) {
    coordinates.unshift(rest % shape[axis]);
    rest = Math.floor(rest / shape[axis]);
  }
  return coordinates;
}

it.each([[[7]], [[3, 4]], [[4, 1, 3]], [[2, 2, 2]], [[1, 5]]])('Ranks of %j are added axis by axis', (shape) => {
  const group = new TranslationGroup(shape);
  const ranks = Array.from({ length: group.order }, (_, rank) => rank);
  const sumOf = (a: number, b: number): number =>
    ranks.findIndex((rank) =>
      coordinatesOf(rank, shape).every((coordinate, axis) => {
        return coordinate === (coordinatesOf(a, shape)[axis] + coordinatesOf(b, shape)[axis]) % shape[axis];
      }),
    );
  for (const b of ranks) {
    const sums = ranks.map((a) => sumOf(a, b));
    expect(ranks.map((a) => group.add(a, b))).toEqual(sums);
    expect(ranks.map(group.translation(b))).toEqual(sums);
    expect([...group.images(b)]).toEqual(sums);
    expect(sumOf(group.negate(b), b)).toBe(0);
  }
});
