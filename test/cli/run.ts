/** Runs the built command as a user would and says what came out. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const bin = new URL('../../bin/ccc.js', import.meta.url).pathname;

export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `ccc …args` in a folder of its own, with `input` on standard input. */
export function ccc(args: readonly string[], input = '', folder = emptyFolder()): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
    encoding: 'utf8',
    input,
    cwd: folder,
  });
  return { status, stdout, stderr };
}

/** A fresh temporary folder. */
export function emptyFolder(): string {
  return mkdtempSync(join(tmpdir(), 'ccc-test-'));
}

/** A file of that text in a fresh folder; returns its path. */
export function fileWith(text: string, name: string): string {
  const path = join(emptyFolder(), name);
  writeFileSync(path, text);
  return path;
}
