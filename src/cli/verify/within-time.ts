/** `ccc verify --time-limit` runs in a process of its own, which can be ended at any time, even while it parses a file. */
import { spawn } from 'node:child_process';
import { constants as system } from 'node:os';
import { CccError } from '../../ir/diagnostic.ts';
import { formatSeconds } from '../../ir/units.ts';

/**
 * Runs the command of this process without the limit in a new process, which prints everything.
 * @param timeLimit milliseconds from the start of this process
 * @returns the exit code of the new process
 * @throws CccError 'stopped' if the time is over
 */
export function exitCodeWithin(timeLimit: number): Promise<number> {
  const [program, ...asked] = process.argv.slice(1);
  const child = spawn(process.execPath, [...process.execArgv, program, ...withoutLimit(asked)], { stdio: 'inherit' });
  return new Promise<number>((resolve, reject) => {
    const end = (reason: string) => () => {
      child.kill('SIGKILL');
      reject(new CccError('stopped', `there was no verdict ${reason}`));
    };
    const interrupted = end('when it was interrupted');
    const timer = setTimeout(
      end(`within the time limit of ${formatSeconds(timeLimit / 1000)}`),
      Math.max(0, timeLimit - performance.now()),
    );
    process.on('SIGINT', interrupted).on('SIGTERM', interrupted);
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
      resolve(code ?? 128 + system.signals[signal ?? 'SIGKILL']);
    });
  });
}

/** Removes `--time-limit` from the arguments. Words after `--` are no options. */
function withoutLimit(asked: readonly string[]): readonly string[] {
  const end = asked.includes('--') ? asked.indexOf('--') : asked.length;
  const isKept = (argument: string, at: number): boolean =>
    at >= end || !(/^--time-limit(=|$)/.test(argument) || asked[at - 1] === '--time-limit');
  return asked.filter(isKept);
}
