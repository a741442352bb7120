/** Runs the built command as a user would and says what came out. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyFolder } from '../temporary.ts';

const bin = new URL('../../bin/ccc.js', import.meta.url).pathname;

export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `ccc …args` in a folder of its own, with `input` on standard input. */
export function ccc(args: readonly string[], input: string | Uint8Array = '', folder = emptyFolder()): Outcome {
  return run(process.execPath, [bin, ...args], input, folder);
}

/** A line of shell in which `ccc` is the command, for pipes and redirections. */
export function shell(line: string, folder = emptyFolder()): Outcome {
  return run('sh', ['-c', `ccc() { '${process.execPath}' '${bin}' "$@"; }\n${line}`], '', folder);
}

function run(command: string, args: readonly string[], input: string | Uint8Array, folder: string): Outcome {
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    input,
    cwd: folder,
    maxBuffer: 2 ** 28,
  });
  return { status, stdout, stderr };
}

/** A file of that text in a fresh folder; returns its path. */
export function fileWith(text: string | Uint8Array, name: string): string {
  const path = join(emptyFolder(), name);
  writeFileSync(path, text);
  return path;
}
