/** The examples of the library page: they type-check against the declarations of the package, and run one after the other. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { emptyFolder } from './temporary.ts';

const root = new URL('../', import.meta.url).pathname;
const page = readFileSync(join(root, 'docs/library.md'), 'utf8');
const examples = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map((match) => match[1]);

/** A project of somebody who has installed ccc. */
const project = emptyFolder();

beforeAll(() => {
  mkdirSync(join(project, 'node_modules'));
  symlinkSync(root, join(project, 'node_modules/ccc'));
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  examples.forEach((text, index) => {
    writeFileSync(join(project, `example-${index}.ts`), text);
  });
});

/** What each example prints. */
const printed: readonly RegExp[] = [
  /^\S+ 0\.0000\d+ (1|0\.\d+) \S+\nwell formed: .*\n(.*\n)+result: .*\n(.*\n)*\{ ok: true, sameBits: true \}\n$/,
  /^(true true\n)+true\n$/,
  /^\d+ two pairs 4\nunknown-name built: link 0: there is no node 'spien'; .*\n$/,
  /^\d+ messages, \d+\.\d\d ms for 1 GiB\nthe last operation ends after \d+\.\d\d µs\nring-allreduce\S*\n$/,
  /^json can express it\nts can express it\n(.*\n)*\d{3,4} lines\ntrue\n$/,
  /^1024 \S+ .*\n(.*\n)*MPICH \(2005\) recursive-doubling-allgather\nMPICH 4.0 to 5.0 .*\nOpen MPI up to 4.0 .*\nOpen MPI 4.1 and 5.0 .*\nNCCL's rings and trees nccl-ring\ncorrect\n$/,
  /^2\.0 true\n0\.\d+ .*\n.*\b2,2,3 true\n$/,
  /^correct\n(wrong-result|uninitialised) .*rank 0.*\n$/,
  /^\d\S* s, 0 ranks with wrong results\n$/,
  /^file .*no-such-plan\.json.*\n$/,
];

describe('the examples of the library page', () => {
  it('are as many as there are results for', () => {
    expect(examples.length).toBe(printed.length);
  });

  it('type-check', () => {
    const compilerOptions = {
      ...{ target: 'es2023', module: 'nodenext', strict: true, noEmit: true, types: ['node'] },
      typeRoots: [join(root, 'node_modules/@types')],
    };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    const { stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', project], { encoding: 'utf8' });
    expect(stdout).toBe('');
  });

  it.each(printed.map((pattern, index) => [index, pattern] as const))('run: number %i', (index, pattern) => {
    const { code } = transformSync(examples[index], { loader: 'ts', format: 'esm', target: 'node20' });
    writeFileSync(join(project, `example-${index}.mjs`), code);
    const { stdout, stderr } = spawnSync(process.execPath, [`example-${index}.mjs`], {
      cwd: project,
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(stdout).toMatch(pattern);
  });
});

/** What bin/load.js and the command start from; the code that V8 made is for the machine that it was built on. */
const bundle = ['ccc-check.cjs', 'ccc.cjs', 'job-worker.js', 'package.json', 'run-worker.js', 'verify-worker.js'].map(
  (name) => `dist/bin/${name}`,
);

describe('the package', () => {
  it('contains what is needed and nothing else', () => {
    const report = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: root,
      encoding: 'utf8',
    });
    const [{ files }] = JSON.parse(report) as [{ files: { path: string }[] }];
    const places = new Set(files.map(({ path }) => (path.includes('/') ? path.split('/')[0] : path)));
    const wanted = [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'README.zh-CN.md',
      'package.json',
      'bin',
      'dist',
      'docs',
      'examples',
      'hardware',
      'schedules',
      'schemas',
      'topologies',
    ];
    expect([...places].sort()).toEqual(wanted.sort());
    expect(files.flatMap(({ path }) => (path.startsWith('dist/bin/') ? [path] : [])).sort()).toEqual(bundle);
  });
});
