/** What the command line says of solvers that are missing, models that are too large, and models that nobody needed. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder } from '../../temporary.ts';
import { inProcess } from '../in-process.ts';
import { Running } from '../running.ts';

it('says the size of a model that is too large, and the limit', async () => {
  const shape = ['--chunks', '8', '--set', 'steps=16', '--set', 'rounds=600'];
  const { status, stderr } = await inProcess([
    'compile',
    'alltoall',
    '--topo',
    'torus:8x8',
    '--engine',
    'exact',
    ...shape,
  ]);
  expect(status).toBe(1);
  expect(stderr).toMatch(/not decided: .* too large for a solver: .* \d+ columns, more than 60000/);
});

/** Node as it is where the package is not installed. */
const withoutGlpk = (() => {
  const loader = `export async function resolve(name, context, next) {
    if (name.startsWith('glpk.js')) throw new Error('not installed');
    return next(name, context);
  }`;
  const url = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;
  return ['--import', url(`import { register } from 'node:module'; register(${JSON.stringify(url(loader))});`)];
})();

it('says what to install where GLPK is asked for and not there, and does everything else without it', async () => {
  const ask = (...args: string[]) =>
    new Running(['pareto', 'alltoall', '--topo', 'ring:5', ...args], emptyFolder(), withoutGlpk);
  const refused = await ask('--solver', 'glpk', '--json').outcome();
  expect(refused.status).toBe(1);
  expect(JSON.parse(refused.stdout)).toMatchObject({ ok: false, error: { code: 'unsupported' } });
  expect(refused.stderr).toContain('the solver glpk needs the package glpk.js, which is not installed');
  expect((await ask().outcome()).status).toBe(0);
});

it.each(['highs', 'glpk'])('finds the same frontier by %s', async (solver) => {
  const { status, stdout } = await inProcess(['pareto', 'alltoall', '--topo', 'ring:5', '--solver', solver, '--json']);
  expect(status).toBe(0);
  const { points } = JSON.parse(stdout);
  // Each chip sends 2 · 1 + 2 · 2 chunk hops over two links: 3 rounds, in the two steps that the farthest are away.
  expect(points).toMatchObject([{ chunks: 1, steps: 2, rounds: 3, status: 'feasible' }]);
});

it('says so where no model was needed, and writes none', async () => {
  const file = join(emptyFolder(), 'model.lp');
  const { status, stderr } = await inProcess(['pareto', 'allgather', '--topo', 'full:4', '--dump-model', file]);
  expect(status).toBe(0);
  expect(stderr).toContain('no linear model was needed; there is none to write');
  expect(existsSync(file)).toBe(false);
});

it('writes the last model of a frontier', async () => {
  const file = join(emptyFolder(), 'model.lp');
  const { status, stderr } = await inProcess(['pareto', 'alltoall', '--topo', 'ring:5', '--dump-model', file]);
  expect(status).toBe(0);
  expect(stderr).toMatch(/has the model of alltoall \(1, 2, 3\).*: \d+ columns, \d+ rows/);
  expect(readFileSync(file, 'utf8')).toMatch(/^\\ written by ccc\nMinimize\n[\s\S]*\nEnd\n$/);
});

it('improves a plan in rounds, and says by how much and what bounds nothing; --solver none leaves it', async () => {
  const file = join(emptyFolder(), 'rounds.lp');
  const asked = ['compile', 'allreduce', '--topo', 'dgx1', '--size', '64KiB', '--json'];
  const [plain, improved] = [
    await inProcess([...asked, '--solver', 'none']),
    await inProcess([...asked, '--lp-out', file]),
  ];
  const [before, after] = [JSON.parse(plain.stdout), JSON.parse(improved.stdout)];
  expect(before.inRounds).toBeUndefined();
  expect(after.inRounds).toMatchObject({ before: before.cost.seconds, after: after.cost.seconds });
  expect(after.cost.seconds).toBeLessThanOrEqual(before.cost.seconds);
  expect(after.bound.seconds).toBe(before.bound.seconds);
  expect(improved.stderr).toMatch(/has the model of allreduce in \d+ rounds: \d+ columns, \d+ rows/);
  expect(readFileSync(file, 'utf8')).toMatch(/^\\ written by ccc\nMinimize\n[\s\S]*\nEnd\n$/);
  const { stderr } = await inProcess([...asked.slice(0, -1)]);
  expect(stderr).toMatch(/ILP +(the linear program found nothing faster than )?[\d.]+ µs/);
  expect(stderr.replace(/\s+/g, ' ')).toContain('not a lower bound: other plans may be faster');
});

it('needs a solver for the exact engine', async () => {
  const { status, stderr } = await inProcess([
    'compile',
    'alltoall',
    '--topo',
    'ring:5',
    '--engine',
    'exact',
    '--solver',
    'none',
  ]);
  expect(status).toBe(2);
  expect(stderr).toContain('--solver none');
});
