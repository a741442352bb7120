/** The shape parameter of a topology file (`4x4x2`), and the functions through which expressions use it. */
import type { ExpressionFunction } from '../expression/index.ts';
import { standardFunctions } from '../expression/index.ts';

/** The extents of a grid's axes. Ranks are mixed-radix numbers of the coordinates, with the last axis changing fastest. */
export type GridShape = readonly number[];

/** The number of chips of a grid. */
export function gridChipCount(shape: GridShape): number {
  return shape.reduce((product, extent) => product * extent, 1);
}

/** All functions of expressions, with those on the shape if there is one. */
export function functionsOn(shape: GridShape | undefined): ReadonlyMap<string, ExpressionFunction> {
  if (shape === undefined) return standardFunctions;
  const size = gridChipCount(shape);
  /** By axis: the difference of the ranks of neighbours. */
  const strides = shape.map((_, axis) => gridChipCount(shape.slice(axis + 1)));
  const wrongAxis = (axis: number): string | undefined =>
    axis >= 0 && axis < shape.length
      ? undefined
      : `names an axis that does not exist: there are 0 … ${shape.length - 1}`;
  const wrongRank = (rank: number): string | undefined =>
    rank >= 0 && rank < size ? undefined : `names a chip that does not exist: there are 0 … ${size - 1}`;
  const coordinate = (rank: number, axis: number): number => Math.floor(rank / strides[axis]) % shape[axis];
  return new Map<string, ExpressionFunction>([
    ...standardFunctions,
    ['axes', { least: 0, most: 0, apply: () => shape.length }],
    ['size', { least: 0, most: 0, apply: () => size }],
    ['extent', { least: 1, most: 1, apply: ([axis]) => wrongAxis(axis) ?? shape[axis] }],
    [
      'coordinate',
      { least: 2, most: 2, apply: ([rank, axis]) => wrongRank(rank) ?? wrongAxis(axis) ?? coordinate(rank, axis) },
    ],
    [
      'neighbour',
      {
        least: 3,
        most: 3,
        apply: ([rank, axis, by]) => {
          const wrong = wrongRank(rank) ?? wrongAxis(axis);
          if (wrong !== undefined) return wrong;
          const here = coordinate(rank, axis);
          const there = (here + (by % shape[axis]) + shape[axis]) % shape[axis];
          return rank + (there - here) * strides[axis];
        },
      },
    ],
  ]);
}
