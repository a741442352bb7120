/** Where results go: standard output, or a file that appears whole or not at all. */
import { closeSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { CccError } from '../ir/diagnostic.ts';

/** Writes the pieces to a file, or to standard output if there is none. */
export function writeResult(pieces: Iterable<string>, file: string | undefined): void {
  if (file === undefined || file === '-') {
    for (const piece of pieces) writeFully(1, piece);
    return;
  }
  const existing = statSync(file, { throwIfNoEntry: false });
  // A device or pipe (/dev/null, /dev/stdout) is written to; replacing it by a file would be a disaster.
  const target = existing === undefined || existing.isFile() ? `${file}.partial-${process.pid}` : file;
  const cannotWrite = (error: unknown) => new CccError('file', `cannot write ${file}: ${reasonOf(error)}`);
  let descriptor: number;
  try {
    descriptor = openSync(target, target === file ? 'w' : 'wx');
  } catch (error) {
    throw cannotWrite(error);
  }
  try {
    for (const piece of pieces) writeFully(descriptor, piece);
    if (target !== file) renameSync(target, file);
  } catch (error) {
    if (target !== file) rmSync(target, { force: true });
    throw cannotWrite(error);
  } finally {
    closeSync(descriptor);
  }
}

/** One JSON document on standard output. */
export function writeJson(document: unknown): void {
  writeFully(1, `${JSON.stringify(document, null, 2)}\n`);
}

/** Everything that is not the result: reports, notes, progress. */
export function note(text: string): void {
  writeFully(2, text.endsWith('\n') ? text : `${text}\n`);
}

/** Pipes take what they can: goes on until all is written, and stops quietly when the reader has gone. */
function writeFully(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(descriptor, bytes, written);
    } catch (error) {
      const code = codeOf(error);
      if (code === 'EPIPE') process.exit(0);
      if (code !== 'EAGAIN') throw error;
    }
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

function reasonOf(error: unknown): string {
  switch (codeOf(error)) {
    case 'ENOENT':
      return 'its folder does not exist';
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'no permission';
    case 'EISDIR':
      return 'it is a folder';
    case 'ENOSPC':
      return 'the disk is full';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
