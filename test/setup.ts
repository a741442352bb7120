/** Builds ccc before the tests, as those of the command line run what a user would run, and gives them one temporary folder. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { emptyFolder } from './temporary.ts';

/** Returns what is done after the last test. */
export default function setup(): () => void {
  build();
  const folder = emptyFolder();
  // Processes of tests inherit it. Hooks in shared helpers would run after the first file that loads them, as files share modules.
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

function build(): void {
  const root = fileURLToPath(new URL('..', import.meta.url));
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
