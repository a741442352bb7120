/** Builds ccc before the tests: those of the command line run what a user would run. */
import { execFileSync } from 'node:child_process';

export function setup(): void {
  const root = new URL('..', import.meta.url).pathname;
  try {
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const output = error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
    throw new Error(`ccc does not build:\n${output}`);
  }
}
