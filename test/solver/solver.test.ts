import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadSolver, lpText, mpsText } from '../../src/solver/index.ts';
import { type LinearModel, ModelBuilder, objectiveOf, replayed } from '../../src/solver/model.ts';
import { drawn } from '../draw.ts';

const solvers = ['highs', 'glpk'] as const;

/** Items of given weights and worths; the best ones that come to at most `room` together. Worth is a negative cost. */
function knapsack(items: readonly { weight: number; worth: number }[], room: number): LinearModel {
  const builder = new ModelBuilder();
  for (const { worth } of items) builder.column({ lower: 0, upper: 1, whole: true, cost: -worth });
  builder.row(Number.NEGATIVE_INFINITY, room);
  items.forEach(({ weight }, column) => {
    builder.add(column, weight);
  });
  return builder.build();
}

function bestByTrying(items: readonly { weight: number; worth: number }[], room: number): number {
  let best = 0;
  for (let set = 0; set < 1 << items.length; set++) {
    const chosen = items.filter((_, i) => ((set >> i) & 1) === 1);
    const weight = chosen.reduce((sum, item) => sum + item.weight, 0);
    if (weight <= room)
      best = Math.max(
        best,
        chosen.reduce((sum, item) => sum + item.worth, 0),
      );
  }
  return best;
}

describe.each(solvers)('the solver %s', (name) => {
  it('finds what trying everything finds', async () => {
    const solver = await loadSolver(name);
    const item = fc.record({ weight: fc.integer({ min: 1, max: 9 }), worth: fc.integer({ min: 1, max: 9 }) });
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 8 }), fc.integer({ min: 0, max: 30 }), (items, room) => {
        const answer = solver.solve(knapsack(items, room));
        expect(answer).toMatchObject({ status: 'optimal' });
        if (answer.status === 'optimal') expect(-answer.objective).toBeCloseTo(bestByTrying(items, room), 6);
      }),
      drawn(30),
    );
  });

  it('says so where there is no solution', async () => {
    const builder = new ModelBuilder();
    const x = builder.column({ lower: 0, upper: 1, whole: true });
    const y = builder.column({ lower: 0, upper: 1, whole: true });
    builder.row(3, Number.POSITIVE_INFINITY);
    builder.add(x, 1);
    builder.add(y, 1);
    expect((await loadSolver(name)).solve(builder.build())).toEqual({ status: 'infeasible' });
  });

  it('knows fractions from whole numbers, rows bounded on both sides, and free columns', async () => {
    const builder = new ModelBuilder();
    const x = builder.column({ lower: 0, upper: 10, whole: false, cost: 1 });
    const n = builder.column({
      lower: Number.NEGATIVE_INFINITY,
      upper: Number.POSITIVE_INFINITY,
      whole: true,
      cost: 0,
    });
    builder.row(2.5, 4);
    builder.add(x, 1);
    builder.add(n, -2);
    builder.row(-3, -3);
    builder.add(n, 1);
    // n = −3, and 2.5 ≤ x + 6 ≤ 4 has no x ≥ 0.
    const solver = await loadSolver(name);
    expect(solver.solve(builder.build())).toEqual({ status: 'infeasible' });
  });
});

describe('replaying', () => {
  const model = knapsack(
    [
      { weight: 2, worth: 1 },
      { weight: 3, worth: 1 },
    ],
    4,
  );

  it('takes what keeps to the rows, and rounds whole columns', () => {
    const values = replayed(model, [0, 0.9999999]);
    expect(values).toEqual(Float64Array.of(0, 1));
    expect(values && objectiveOf(model, values)).toBe(-1);
  });

  it.each([
    ['breaks a row', [1, 1]],
    ['is beyond a bound', [2, 0]],
    ['is not whole', [0.5, 0]],
  ])('refuses what %s', (_, values) => {
    expect(replayed(model, values)).toBeUndefined();
  });
});

describe('models as text', () => {
  const builder = new ModelBuilder();
  builder.column({ lower: 0, upper: 4, whole: true, cost: 2 });
  builder.column({ lower: Number.NEGATIVE_INFINITY, upper: Number.POSITIVE_INFINITY, whole: false, cost: -1 });
  builder.row(1, 3);
  builder.add(0, 1);
  builder.add(1, -2.5);
  builder.row(2, 2);
  builder.add(1, 1);
  const model = builder.build();

  it('are LP files', () => {
    expect([...lpText(model)].join('')).toBe(
      `\\ written by ccc
Minimize
 cost: + 2 x0 - 1 x1
Subject To
 r0l: + 1 x0 - 2.5 x1
  >= 1
 r0u: + 1 x0 - 2.5 x1
  <= 3
 r1: + 1 x1
  = 2
Bounds
 0 <= x0 <= 4
 x1 free
General
 x0
End
`,
    );
  });

  it('are MPS files', () => {
    expect([...mpsText(model)].join('')).toBe(
      `NAME ccc
ROWS
 N cost
 L r0
 E r1
COLUMNS
 M0 'MARKER' 'INTORG'
 x0 cost 2
 x0 r0 1
 M1 'MARKER' 'INTEND'
 x1 cost -1
 x1 r0 -2.5
 x1 r1 1
RHS
 RHS r0 3
 RHS r1 2
RANGES
 RNG r0 2
BOUNDS
 LO BND x0 0
 UP BND x0 4
 FR BND x1
ENDATA
`,
    );
  });
});
