/** The least point of many planes, against a solver of linear programs that knows nothing of it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CuttingPlanes } from '../../../../src/search/evaluate/sizes/cutting-planes.ts';
import { loadSolver, ModelBuilder } from '../../../../src/solver/index.ts';
import { drawn } from '../../../draw.ts';

const solver = await loadSolver('highs');
const enough = 10_000;

interface Plane {
  readonly constant: number;
  readonly slope: readonly number[];
}

/** min t with t − slope · x ≥ constant and x ≥ 0, each group adding up to 1. */
function bySolver(planes: readonly Plane[], variables: number, groups: readonly (readonly number[])[]): number {
  const builder = new ModelBuilder();
  const unlimited = Number.POSITIVE_INFINITY;
  const t = builder.column({ lower: -unlimited, upper: unlimited, whole: false, cost: 1 });
  const x = Array.from({ length: variables }, () => builder.column({ lower: 0, upper: unlimited, whole: false }));
  for (const { constant, slope } of planes) {
    builder.row(constant, unlimited);
    builder.add(t, 1);
    slope.forEach((rate, v) => {
      builder.add(x[v], -rate);
    });
  }
  for (const group of groups) {
    builder.row(1, 1);
    for (const v of new Set(group)) builder.add(x[v], group.filter((other) => other === v).length);
  }
  const answer = solver.solve(builder.build());
  if (answer.status !== 'optimal') throw new Error(`the solver says ${answer.status}`);
  return answer.objective;
}

function height({ constant, slope }: Plane, point: Float64Array): number {
  return slope.reduce((sum, rate, v) => sum + rate * point[v], constant);
}

/** Each variable stands once or twice in one of the groups. */
function problems(variables: number) {
  const rate = fc.integer({ min: 0, max: 20 }).map((tenths) => tenths / 10);
  const plane = fc.record({ constant: rate, slope: fc.array(rate, { minLength: variables, maxLength: variables }) });
  return fc.record({
    planes: fc.array(plane, { minLength: 1, maxLength: 25 }),
    places: fc.array(fc.record({ group: fc.nat(2), times: fc.integer({ min: 1, max: 2 }) }), {
      minLength: variables,
      maxLength: variables,
    }),
  });
}

describe('cutting planes', () => {
  it.each([1, 2, 5, 12])('have the least point that a solver finds, with %i variables', (variables) => {
    fc.assert(
      fc.property(problems(variables), ({ planes, places }) => {
        const groups = [0, 1, 2]
          .map((group) => places.flatMap((place, v) => (place.group === group ? Array(place.times).fill(v) : [])))
          .filter((group) => group.length > 0);
        const cutting = new CuttingPlanes(
          variables,
          groups.map((group) => Int32Array.from(group)),
        );
        // One after the other, as the search does it: every basis is the start of the next search.
        planes.forEach(({ constant, slope }, index) => {
          cutting.add(constant, Float64Array.from(slope));
          const known = planes.slice(0, index + 1);
          const least = cutting.least(enough);
          expect(least).toBeDefined();
          if (least === undefined) return;
          expect(least.value).toBeCloseTo(bySolver(known, variables, groups), 5);
          expect(Math.max(...known.map((plane) => height(plane, least.point)))).toBeCloseTo(least.value, 5);
          for (const group of groups) expect(group.reduce((sum, v) => sum + least.point[v], 0)).toBeCloseTo(1, 6);
          expect(Math.min(...least.point)).toBeGreaterThanOrEqual(0);
        });
      }),
      drawn(25),
    );
  });

  it('have no least point without planes or work', () => {
    const cutting = new CuttingPlanes(1, [Int32Array.of(0)]);
    expect(cutting.least(enough)).toBeUndefined();
    cutting.add(1, Float64Array.of(1));
    expect(cutting.least(0)).toBeUndefined();
  });
});
