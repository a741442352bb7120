/** Emitted TypeScript runs, checks itself, and is as good as what people write: it type-checks, lints and is formatted. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  emitterOfTypeScript,
  moduleFolder,
  planOf,
  runEmitted,
  runTool,
  typescriptOf,
  type Wanted,
  written,
} from './plans.ts';

const root = new URL('../../../', import.meta.url).pathname;

/** Every collective, in both ways of memory, with what makes files different: bulks, roots, scratch, counts, tables. */
const cases: readonly (readonly [name: string, kind: Parameters<typeof planOf>[0], wanted: Wanted])[] = [
  ['allgather', 'allgather', {}],
  ['allgather-in-place', 'allgather', { inPlace: true, bulks: 3 }],
  ['allgather-doubling-bulks', 'allgather', { algorithm: 'recursive-doubling-allgather', bulks: 3 }],
  ['allgather-torus', 'allgather', { topology: 'torus:3x3' }],
  ['allgather-counts', 'allgather', { topology: 'ring:3', counts: [40, 0, 124] }],
  ['reducescatter', 'reducescatter', { topology: 'ring:5' }],
  ['reducescatter-in-place', 'reducescatter', { inPlace: true }],
  ['reducescatter-counts', 'reducescatter', { topology: 'ring:3', counts: [40, 0, 124] }],
  ['allreduce', 'allreduce', {}],
  ['allreduce-in-place', 'allreduce', { inPlace: true, bulks: 2 }],
  ['allreduce-ordered', 'allreduce', { ordered: true }],
  ['broadcast', 'broadcast', { root: 2 }],
  ['broadcast-in-place', 'broadcast', { inPlace: true, bulks: 4 }],
  ['broadcast-listed', 'broadcast', { engine: 'list' }],
  ['reduce', 'reduce', { root: 1 }],
  ['reduce-in-place', 'reduce', { root: 3, inPlace: true }],
  ['scatter', 'scatter', { root: 1 }],
  ['scatter-in-place', 'scatter', { root: 2, inPlace: true, bulks: 2 }],
  ['scatter-counts', 'scatter', { topology: 'ring:3', counts: [8, 16, 4] }],
  ['gather', 'gather', { root: 1 }],
  ['gather-in-place', 'gather', { root: 2, inPlace: true }],
  ['alltoall', 'alltoall', { topology: 'ring:5' }],
  ['alltoall-in-place', 'alltoall', { inPlace: true }],
  ['alltoall-counts', 'alltoall', { topology: 'ring:3', counts: [4, 8, 12, 16, 20, 0, 0, 400, 40] }],
  ['alltoall-swaps', 'alltoall', { topology: 'ring:3', counts: [4, 8, 12, 8, 20, 4, 12, 4, 40], inPlace: true }],
  ['scan', 'scan', { bulks: 5 }],
  ['exscan', 'exscan', { bulks: 7 }],
  ['exscan-in-place', 'exscan', { inPlace: true }],
  ['barrier', 'barrier', {}],
  ['barrier-combined', 'barrier', { topology: 'ring:16', engine: 'barriers' }],
];

describe('an emitted file', () => {
  it.concurrent.each(cases)('of %s runs and finds its results right', async (_, kind, wanted) => {
    const text = await typescriptOf(planOf(kind, wanted));
    const sized = kind !== 'barrier' && wanted.counts === undefined;
    const args = [...(kind === 'barrier' ? [] : ['--check']), ...(sized ? ['--size', '1235'] : [])];
    const { status, printed } = await runEmitted(text, args);
    expect(printed).toMatch(/: correct\n$/);
    expect(status).toBe(0);
  });

  it('type-checks, lints and is formatted', async () => {
    const folder = moduleFolder();
    for (const [name, kind, wanted] of cases) written(await typescriptOf(planOf(kind, wanted)), `${name}.ts`, folder);
    const strict = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')).compilerOptions;
    const compilerOptions = { ...strict, typeRoots: [join(root, 'node_modules/@types')] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    expect(await runTool('tsc', ['-p', folder])).toEqual({ status: 0, printed: '' });
    const rules = { ...JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8')), vcs: { enabled: false } };
    const config = join(moduleFolder(), 'biome.json');
    writeFileSync(config, JSON.stringify({ ...rules, $schema: undefined, files: { includes: ['**/*.ts'] } }));
    const linted = await runTool('biome', ['check', '--error-on-warnings', `--config-path=${config}`, folder]);
    expect(linted.printed).toMatch(/Checked \d\d files.*No fixes applied/);
    expect(linted.status).toBe(0);
  });

  it('is what it was', async () => {
    const text = await typescriptOf(planOf('allgather', { topology: 'sg2260x4' }));
    await expect(text).toMatchFileSnapshot('golden/allgather-sg2260x4.ts');
  });

  it('has one program for ranks that are alike', async () => {
    for (const kind of ['allgather', 'allreduce'] as const) {
      const text = await typescriptOf(planOf(kind, { topology: 'sg2260x4', algorithm: `ring-${kind}` }));
      expect(text).toContain('peer(-1)');
      expect(text).not.toContain('// Rank 1');
    }
  });

  it('has runs of operations as functions of their index, or of a list', async () => {
    const text = await typescriptOf(planOf('broadcast', { engine: 'list' }));
    expect(text).toMatch(/\.\.\.(each\(sequence\d+|repeat\(\d+), /);
  });

  it('starts without a module folder too', async () => {
    const folder = moduleFolder();
    copyFileSync(written(await typescriptOf(planOf('allgather'))), join(folder, 'allgather.ts'));
    writeFileSync(join(folder, 'package.json'), '{}');
    const { printed } = await runTool('tsx', [join(folder, 'allgather.ts'), '--size', '4096', '--check']);
    expect(printed).toMatch(/: correct\n$/);
  });
});

describe('a file that was edited to be wrong', () => {
  it('says which element is wrong', async () => {
    const text = await typescriptOf(planOf('allgather', { topology: 'sg2260x4' }));
    const edited = text.replace('send: output(chunk(-1, 0), 1)', 'send: output(chunk(0, 0), 1)');
    expect(edited).not.toBe(text);
    const { status, printed } = await runEmitted(edited, ['--check', '--size', '4096']);
    expect(printed).toMatch(/^allgather: element \d+ of rank \d is .+, but should be .+\n$/);
    expect(status).toBe(1);
  });

  it('says when its ranks wait for ever', async () => {
    const text = await typescriptOf(planOf('allgather', { topology: 'sg2260x4' }));
    const edited = text.replace(/\n.*send: output\(chunk\(-1, 0\), 1\).*(?=\n)/, '');
    expect(edited).not.toBe(text);
    const { status, printed } = await runEmitted(edited, ['--check', '--size', '4096']);
    expect(printed).toBe('allgather: the ranks wait for each other for ever\n');
    expect(status).toBe(1);
  });

  it('says what a size is', async () => {
    const { status, printed } = await runEmitted(await typescriptOf(planOf('allgather')), ['--size', 'many']);
    expect(printed).toBe('allgather: --size many: expected an amount such as 64MiB, 1kB or 4096\n');
    expect(status).toBe(1);
  });
});

describe('what it refuses', () => {
  const lackingOf = (...args: Parameters<typeof planOf>) =>
    emitterOfTypeScript()
      .check(planOf(...args))
      .join('; ');

  it('reductions of elements that JavaScript has no arrays of, but not their moves', () => {
    expect(lackingOf('allreduce', { dtype: 'bf16' })).toContain('JavaScript cannot reduce bf16');
    expect(lackingOf('allgather', { dtype: 'bf16' })).toBe('');
  });

  it('shards of parts of elements', () => {
    const lacking = lackingOf('allgather', { topology: 'ring:3', counts: [4, 6, 8] });
    expect(lacking).toBe('a shard of 6 bytes is no whole number of f32 elements');
  });
});
