/**
 * Before the tests: builds ccc, as those of the command line run what a user would run, gives all tests one temporary folder, and chooses the seed from which tests
 * draw at random.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { emptyFolder } from './temporary.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** What the build reads. */
const sources = ['src', 'scripts', 'schedules', 'topologies', 'hardware', 'package.json', 'package-lock.json'];
const settings = ['tsconfig.json', 'tsconfig.build.json'];

/** Returns what is done after the last test. */
export default function setup(): () => void {
  if (!isBuilt()) build();
  const folder = emptyFolder();
  // Processes of tests inherit it. Hooks in shared helpers would run after the first file that loads them, as files share modules.
  process.env.TMPDIR = folder;
  process.env.CCC_TEST_SEED ??= seedOfDay();
  const seed = process.env.CCC_TEST_SEED;
  console.log(`Tests at random draw from seed ${seed}. CCC_TEST_SEED=${seed} before the command repeats them.`);
  return () => rmSync(folder, { recursive: true, force: true });
}

/** Today's date in UTC as a number: other cases each day, and the same ones all day. */
function seedOfDay(): string {
  return new Date().toISOString().slice(0, 10).replaceAll('-', '');
}

/** Whether the bundle, which the build writes last, is newer than all that it is made of. */
function isBuilt(): boolean {
  const bundle = join(root, 'dist/bin/ccc.cjs');
  if (!existsSync(bundle)) return false;
  const { mtimeMs } = statSync(bundle);
  return [...sources, ...settings].every((path) => lastChange(join(root, path)) < mtimeMs);
}

/** When a file, or a folder or anything in it, was last changed, made or removed, in milliseconds since 1970. */
function lastChange(path: string): number {
  const own = statSync(path);
  if (!own.isDirectory()) return own.mtimeMs;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, lastChange(join(path, name))), own.mtimeMs);
}

function build(): void {
  try {
    execFileSync('npm', ['run', '--silent', 'build'], {
      cwd: root,
      encoding: 'utf8',
      stdio: 'pipe',
      shell: process.platform === 'win32',
    });
  } catch (error) {
    const output = error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
    throw new Error(`ccc does not build:\n${output}`);
  }
}
