/** What is published: the tarball of `npm pack`, put into an empty folder with its dependencies, as `npm install` would. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { emptyFolder } from './temporary.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version, dependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Nothing is fetched: dependencies are those of this checkout, and only those that package.json names. */
function installed(): string {
  const folder = join(emptyFolder(), 'a folder');
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  execFileSync('tar', ['-xzf', join(folder, JSON.parse(packed)[0].filename), '-C', modules]);
  execFileSync('mv', [join(modules, 'package'), join(modules, 'ccc')]);
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    if (!existsSync(join(root, 'node_modules', name))) continue;
    // A name with a scope has a folder of its own.
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  symlinkSync('../ccc/bin/ccc.js', join(modules, '.bin', 'ccc'));
  return folder;
}

describe('the tarball', () => {
  let folder = '';
  beforeAll(() => {
    folder = installed();
  });
  const npx = (...args: string[]) => {
    const environment = { ...process.env, npm_config_offline: 'true' };
    return spawnSync('npx', ['--no-install', 'ccc', ...args], { cwd: folder, encoding: 'utf8', env: environment });
  };

  it('works in an empty folder with a blank in its name', () => {
    expect(npx('--version').stdout.trim()).toBe(version);
    const { status, stdout } = npx('compile', 'allgather', '--topo', 'sg2260x4');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ format: 'ccc-plan', verification: { verdict: 'correct' } });
    expect(npx('help', 'sizes').stdout).toContain('# ');
    expect(npx('list', 'schemas').stdout).toContain(join('node_modules', 'ccc', 'schemas', 'plan.schema.json'));
  });

  it('has the schemas where a checkout has them', () => {
    const resolved = createRequire(join(folder, 'x.js')).resolve('ccc/schemas/schedule.schema.json');
    const here = createRequire(import.meta.url).resolve('ccc/schemas/schedule.schema.json');
    expect(readFileSync(resolved, 'utf8')).toBe(readFileSync(here, 'utf8'));
  });

  it('holds what its pages link to, and no tests', () => {
    const inside = join(folder, 'node_modules/ccc');
    for (const path of ['README.md', 'CHANGELOG.md', 'LICENSE', 'docs/plan-format.md', 'examples/python/run_plan.py'])
      expect(existsSync(join(inside, path))).toBe(true);
    expect(readdirSync(inside)).not.toContain('test');
  });
});
