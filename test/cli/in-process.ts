/**
 * Runs commands in this process, as `run.ts` runs them in one of their own: starting a process takes longer than most commands do. Nothing here starts workers,
 * and a time limit, which counts from the start of the process, is over before the command begins: tests of these start a process.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { main } from '../../src/cli/main.ts';
import { emptyFolder } from '../temporary.ts';
import type { Outcome } from './run.ts';

/** `ccc …args` in a folder of its own, with `input` on standard input. */
export async function inProcess(
  args: readonly string[],
  input: string | Uint8Array = '',
  folder = emptyFolder(),
): Promise<Outcome> {
  const written = { 1: '', 2: '' };
  const { writeSync, readSync } = fs;
  const { exitCode } = process;
  const here = process.cwd();
  let rest = Buffer.from(input);
  const writing = (descriptor: number, data: string | Uint8Array, ...place: readonly number[]): number => {
    if (descriptor !== 1 && descriptor !== 2) return Reflect.apply(writeSync, fs, [descriptor, data, ...place]);
    const bytes = Buffer.from(data).subarray(place[0] ?? 0);
    written[descriptor] += bytes.toString();
    return bytes.length;
  };
  const reading = (descriptor: number, target: Uint8Array, ...place: readonly unknown[]): number => {
    if (descriptor !== 0) return Reflect.apply(readSync, fs, [descriptor, target, ...place]);
    const count = rest.copy(target);
    rest = rest.subarray(count);
    return count;
  };
  Object.assign(fs, { writeSync: writing, readSync: reading });
  process.exitCode = undefined;
  syncBuiltinESMExports();
  process.chdir(folder);
  try {
    await main([process.execPath, 'ccc', ...args]);
    return { status: Number(process.exitCode ?? 0), stdout: written[1], stderr: written[2] };
  } finally {
    process.chdir(here);
    Object.assign(fs, { writeSync, readSync });
    syncBuiltinESMExports();
    process.exitCode = exitCode;
  }
}

/** A line of shell as `shell` of run.ts runs it, if all its commands are `ccc …`: words and quotes, pipes, and `> file` at the end. */
export async function lineInProcess(line: string, folder = emptyFolder()): Promise<Outcome> {
  const [, commands, file] = /^(.*?)(?: > (\S+))?(?:\s+#.*)?$/.exec(line) ?? [];
  let outcome: Outcome = { status: 0, stdout: '', stderr: '' };
  for (const command of commands.split(' | ')) {
    const [name, ...args] = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);
    if (name !== 'ccc') throw new Error(`not a line of ccc alone: ${line}`);
    const next = await inProcess(args, outcome.stdout, folder);
    outcome = { ...next, stderr: outcome.stderr + next.stderr };
  }
  if (file === undefined) return outcome;
  fs.writeFileSync(`${folder}/${file}`, outcome.stdout);
  return { ...outcome, stdout: '' };
}
