/** Solvers that end early or answer nonsense: nothing of it is believed. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Random } from '../../src/ir/random.ts';
import { loadSolver, progressText, type SolveProgress, watched } from '../../src/solver/index.ts';
import { type LinearModel, ModelBuilder } from '../../src/solver/model.ts';

/** x + y ≥ 3 with whole x, y ≤ 2, as cheap as can be: 3. */
function smallModel(): LinearModel {
  const builder = new ModelBuilder();
  const columns = [1, 1].map((cost) => builder.column({ lower: 0, upper: 2, whole: true, cost }));
  builder.row(3, Number.POSITIVE_INFINITY);
  for (const column of columns) builder.add(column, 1);
  return builder.build();
}

/** A knapsack with several limits and worths like weights, which takes any solver long. */
function hardModel(): LinearModel {
  const [items, limits] = [60, 6];
  const random = new Random(7);
  const weights = Array.from({ length: limits }, () => Array.from({ length: items }, () => 100 + random.below(900)));
  const builder = new ModelBuilder();
  for (let item = 0; item < items; item++) {
    const worth = weights.reduce((sum, row) => sum + row[item], 0) / limits;
    builder.column({ lower: 0, upper: 1, whole: true, cost: -Math.round(worth) - random.below(50) });
  }
  for (const row of weights) {
    builder.row(Number.NEGATIVE_INFINITY, Math.floor(row.reduce((sum, weight) => sum + weight, 0) / 2));
    row.forEach((weight, item) => {
      builder.add(item, weight);
    });
  }
  return builder.build();
}

describe('HiGHS', () => {
  it('ends where its limit of work says, at the same point always', async () => {
    const solver = await loadSolver('highs');
    const run = (iterations: number) => {
      const seen: SolveProgress[] = [];
      const answer = solver.solve(hardModel(), { iterations, onProgress: (progress) => seen.push(progress) });
      return { answer, seen };
    };
    const [first, second] = [run(200), run(200)];
    expect(['feasible', 'unknown']).toContain(first.answer.status);
    expect(second).toEqual(first);
    const last = first.seen[first.seen.length - 1];
    expect(last.iterations).toBeGreaterThan(200);
  });

  it('says how far it is: what it has, what it could reach, and the gap', async () => {
    const seen: SolveProgress[] = [];
    const solver = watched(await loadSolver('highs'), (progress) => seen.push(progress));
    solver.solve(hardModel(), { iterations: 2000 });
    const told = seen.filter(({ best, bound, gap }) => best !== undefined && bound !== undefined && gap !== undefined);
    expect(told.length).toBeGreaterThan(0);
    for (const { best = 0, bound = 0, gap = 0 } of told) {
      expect(bound).toBeLessThanOrEqual(best);
      expect(gap).toBeCloseTo((best - bound) / Math.abs(best), 6);
    }
  });

  it('ends when it is told to, with what it has and the gap that is left', async () => {
    let asked = 0;
    const solver = await loadSolver('highs');
    const answer = solver.solve(hardModel(), { shouldStop: () => ++asked > 40 });
    expect(asked).toBeGreaterThan(40);
    expect(answer.status).toBe('feasible');
    if (answer.status === 'feasible') expect(answer.gap).toBeGreaterThan(0);
  });
});

describe('HiGHS, given what it cannot solve,', () => {
  /** x times `coefficient` at least 1, x as large as can be, at most `most`. */
  const modelWith = (coefficient: number, most: number): LinearModel => {
    const builder = new ModelBuilder();
    const x = builder.column({ lower: 0, upper: most, whole: true, cost: -1 });
    builder.row(1, Number.POSITIVE_INFINITY);
    builder.add(x, coefficient);
    return builder.build();
  };

  it.each([
    ['not a number', modelWith(Number.NaN, 5)],
    ['a coefficient beyond its range', modelWith(1e300, 5)],
    ['an objective without end', modelWith(1, Number.POSITIVE_INFINITY)],
    ['nothing', new ModelBuilder().build()],
  ])('says that it does not know: %s', async (_, model) => {
    expect((await loadSolver('highs')).solve(model)).toMatchObject({ status: 'unknown' });
  });

  it('solves the next model as if nothing had been', async () => {
    expect((await loadSolver('highs')).solve(modelWith(1, 5))).toMatchObject({ status: 'optimal', objective: -5 });
  });
});

describe('GLPK', () => {
  const constants = { GLP_MIN: 1, GLP_MSG_OFF: 0, GLP_FR: 1, GLP_LO: 2, GLP_UP: 3, GLP_DB: 4, GLP_FX: 5 };
  const statuses = { GLP_UNDEF: 1, GLP_FEAS: 2, GLP_INFEAS: 3, GLP_NOFEAS: 4, GLP_OPT: 5, GLP_UNBND: 6 };

  /** A package that gives this answer to everything. */
  async function answering(status: number, x0: number, x1: number) {
    vi.resetModules();
    const result = { status, z: 0, vars: { x0, x1 } };
    const solve = () => ({ name: 'ccc', time: 0, result });
    vi.doMock('glpk.js/node', () => ({ default: async () => ({ ...constants, ...statuses, version: '0', solve }) }));
    return (await (await freshlyImported())()).solve(smallModel());
  }

  /** `loadGlpk` of modules that see what is mocked, with Node as their host. */
  async function freshlyImported() {
    await import('../../src/host/node.ts');
    return (await import('../../src/solver/glpk.ts')).loadGlpk;
  }

  afterEach(() => {
    vi.doUnmock('glpk.js/node');
    vi.resetModules();
  });

  it('has no solution when it says "undefined" and gives zeros', async () => {
    expect(await answering(statuses.GLP_UNDEF, 0, 0)).toMatchObject({
      status: 'unknown',
      reason: expect.stringContaining('without a solution'),
    });
  });

  it.each([
    ['breaks a row', 1, 1],
    ['is beyond a bound', 3, 0],
    ['is not whole', 1.5, 1.5],
  ])('is not believed where its optimum %s', async (_, x0, x1) => {
    expect(await answering(statuses.GLP_OPT, x0, x1)).toMatchObject({
      status: 'unknown',
      reason: expect.stringContaining('does not hold'),
    });
  });

  it('has a solution, and says of what kind', async () => {
    expect(await answering(statuses.GLP_FEAS, 2, 2)).toMatchObject({
      status: 'feasible',
      objective: 4,
      gap: undefined,
    });
    expect(await answering(statuses.GLP_OPT, 1, 2)).toMatchObject({ status: 'optimal', objective: 3 });
    expect(await answering(statuses.GLP_NOFEAS, 0, 0)).toEqual({ status: 'infeasible' });
    expect(await answering(statuses.GLP_UNBND, 0, 0)).toMatchObject({ status: 'unknown' });
  });

  it('is missed by name where it is not installed', async () => {
    vi.resetModules();
    vi.doMock('glpk.js/node', () => {
      throw new Error('not found');
    });
    const loadGlpk = await freshlyImported();
    await expect(loadGlpk()).rejects.toThrow('the solver glpk needs the package glpk.js, which is not installed');
  });
});

it('what a solver says of itself reads well', () => {
  const progress = { nodes: 12, iterations: 3400, best: 20, bound: 19, gap: 0.05 };
  expect(progressText(progress)).toBe('12 nodes, 3400 iterations, best 20, at least 19 (gap 5.0 %)');
  expect(progressText({ ...progress, best: undefined, bound: undefined, gap: undefined })).toBe(
    '12 nodes, 3400 iterations',
  );
});
