/** Writes files whole or not at all. Errors of the system become `CccError`s. */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { CccError } from '../ir/diagnostic.ts';

/** Characters that are written at once; between two blocks signals are handled. */
const blockLength = 1 << 20;

/** Pieces of text, or bytes. */
export type Content = Iterable<string> | Uint8Array;

/**
 * Called before a temporary file is written, with a function that removes it, for handlers that end the process meanwhile (Ctrl-C).
 * @returns a function that the writer calls when the file is complete
 */
export type WriteGuard = (removePartial: () => void) => () => void;

/** @throws CccError 'file', 'usage' for an empty name */
export async function writeFile(content: Content, file: string, guard: WriteGuard = () => () => {}): Promise<void> {
  checkName(file);
  try {
    const existing = statSync(file, { throwIfNoEntry: false });
    // A device or pipe (/dev/null, /dev/stdout) is written in place; replacing it by a file would break the system.
    if (existing !== undefined && !existing.isFile()) await writeTo(openSync(file, 'w'), content);
    else if (existing === undefined) await replaceWhole(file, 0o666, content, guard);
    else {
      accessSync(file, constants.W_OK);
      await replaceWhole(realpathSync(file), existing.mode, content, guard);
    }
  } catch (error) {
    throw unlessBug(error, file);
  }
}

/**
 * Checks before a long search that its result can be written, and leaves nothing behind. Devices and pipes are not touched.
 * @throws CccError 'file'
 */
export function checkTarget(file?: string): void {
  if (file !== undefined) checkName(file);
  if (file === undefined || file === '-') return;
  try {
    const existing = statSync(file, { throwIfNoEntry: false });
    if (existing?.isDirectory() === true) throw new CccError('file', `cannot write ${file}: it is a folder`);
    if (existing !== undefined) accessSync(file, constants.W_OK);
    else {
      const partial = partialOf(file);
      closeSync(openSync(partial, 'wx'));
      rmSync(partial);
    }
  } catch (error) {
    throw unlessBug(error, file);
  }
}

function checkName(file: string): void {
  if (file === '') throw new CccError('usage', "expected the name of a file, found ''");
}

/** Makes a folder, and those above it, where there is none. @throws CccError 'file' */
export function makeFolder(path: string): void {
  try {
    makeFolders(path);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    const reason = codeOf(error) === 'EEXIST' ? 'there is a file of that name' : reasonOf(error, path);
    throw new CccError('file', `cannot make the folder '${path}': ${reason}`);
  }
}

/** Makes the folders one by one, since Node's recursive mkdir never returns where the system allows no folders, as in /proc. */
function makeFolders(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  if (!existsSync(dirname(path))) makeFolders(dirname(path));
  mkdirSync(path);
}

/** Writes a file beside the one that is wanted, then puts it in its place; on errors nothing stays. */
async function replaceWhole(file: string, mode: number, content: Content, guard: WriteGuard): Promise<void> {
  const partial = partialOf(file);
  const descriptor = openSync(partial, 'wx', mode);
  const release = guard(() => rmSync(partial, { force: true }));
  try {
    await writeTo(descriptor, content);
    renameSync(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  } finally {
    release();
  }
}

function partialOf(file: string): string {
  return `${file}.partial-${process.pid}`;
}

async function writeTo(descriptor: number, content: Content): Promise<void> {
  try {
    for (const block of content instanceof Uint8Array ? [content] : blocksOf(content)) {
      writeFully(descriptor, block);
      await setImmediate();
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Joins pieces, each often a single operation, to blocks, so that one system call writes thousands of them. */
export function* blocksOf(pieces: Iterable<string>): Iterable<string> {
  let block = '';
  for (const piece of pieces) {
    block += piece;
    if (block.length >= blockLength) {
      yield block;
      block = '';
    }
  }
  yield block;
}

/** Writes everything, even if a pipe accepts only a part at a time. */
export function writeFully(descriptor: number, content: string | Uint8Array): void {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(descriptor, bytes, written);
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN') throw error;
      waitForReader();
    }
  }
}

/** Waits a moment: a non-blocking pipe is full, and its reader needs time. */
function waitForReader(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
}

/** Converts an error of the system to a `CccError`; any other error is a bug and is returned unchanged. */
export function unlessBug(error: unknown, target: string): unknown {
  if (codeOf(error) === undefined) return error;
  return new CccError('file', `cannot write ${target}: ${reasonOf(error, target)}`);
}

/** The code of a system error, such as ENOSPC; undefined for other errors. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'errno' in error && 'code' in error ? String(error.code) : undefined;
}

function reasonOf(error: unknown, target: string): string {
  switch (codeOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      // Virtual folders such as /proc take no files.
      return existsSync(dirname(target)) ? 'its folder takes no files' : 'its folder does not exist';
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'no permission';
    case 'EISDIR':
      return 'it is a folder';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'the disk is full';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
