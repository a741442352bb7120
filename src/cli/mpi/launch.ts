/** Compiles and starts MPI programs with the MPI that is installed. */
import { spawn } from 'node:child_process';
import { CccError } from '../../ir/diagnostic.ts';
import type { Seconds } from '../../ir/units.ts';

const missing = 'install an MPI with its compiler wrapper (Debian: apt-get install openmpi-bin libopenmpi-dev)';

/** The output of a program, and how it ended. */
interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Compiler flags under which emitted C must compile without warnings. */
export const strictFlags = ['-std=c11', '-Wall', '-Wextra', '-Werror', '-O2'] as const;

/** Compiles C files. @throws CccError 'file' if there is no mpicc, or if it does not compile the files */
export async function compileMpi(files: readonly string[], target: string): Promise<void> {
  const { status, stdout, stderr } = await runProgram('mpicc', [...strictFlags, '-o', target, ...files]);
  if (status === 0) return;
  throw new CccError('file', `mpicc does not compile the emitted program: ${firstLines(stderr || stdout)}`);
}

/** Returns the first line of `mpirun --version`. */
export async function mpiVersion(): Promise<string> {
  const { stdout } = await runProgram('mpirun', ['--version']);
  return stdout.split('\n')[0].trim();
}

/**
 * Starts a program in several processes on this machine, more than it has processors if necessary.
 * @returns its standard output, and whether it exited with 0
 * @throws CccError 'stopped' if it exceeds the time limit, 'file' if it cannot be started or writes nothing
 */
export async function runMpi(
  program: string,
  args: readonly string[],
  { processes, limit }: { readonly processes: number; readonly limit: Seconds },
): Promise<{ readonly output: string; readonly errors: string; readonly ok: boolean }> {
  // Other MPI implementations do not need these flags and do not know them.
  const flags = (await mpiVersion()).includes('Open MPI') ? ['--allow-run-as-root', '--oversubscribe'] : [];
  const command = [...flags, '-np', `${processes}`, program, ...args];
  const { status, stdout, stderr } = await runProgram('mpirun', command, limit);
  if (stdout.trim() === '') {
    throw new CccError('file', `mpirun could not run the program on ${processes} processes: ${firstLines(stderr)}`);
  }
  return { output: stdout, errors: stderr, ok: status === 0 };
}

/** Returns the lines with content; mpirun draws frames around its messages. */
function firstLines(text: string): string {
  const lines = text.split('\n').filter((line) => /[a-z]/i.test(line));
  return lines.slice(0, 4).join('\n  ') || 'it says nothing';
}

function runProgram(name: string, args: readonly string[], limit?: Seconds): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(name, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr, late] = ['', '', false];
    const clock =
      limit === undefined
        ? undefined
        : setTimeout(() => {
            late = true;
            // On SIGTERM mpirun ends its processes, too.
            child.kill('SIGTERM');
          }, limit * 1000);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', (error) => {
      clearTimeout(clock);
      const isMissing = 'code' in error && error.code === 'ENOENT';
      reject(new CccError('file', isMissing ? `there is no ${name} here: ${missing}` : `${name}: ${error.message}`));
    });
    child.on('close', (status) => {
      clearTimeout(clock);
      if (late) reject(new CccError('stopped', `the MPI program was not done after ${limit} s and was ended`));
      else resolve({ status, stdout, stderr });
    });
  });
}
