/**
 * Where results go: standard output, or a file that appears whole or not at all. What is printed moves no cursor, whatever names it
 * quotes; a file gets what its emitter wrote.
 */
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
import { constants as system } from 'node:os';
import { dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { CccError } from '../ir/diagnostic.ts';
import { jsonText, plainLines } from '../ir/plain-text.ts';
import { fitted, hasColours, painted, widthOf } from './terminal.ts';

/** Characters that are written at once; between two blocks signals are seen. */
const blockLength = 1 << 20;
const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Pieces of text, or bytes. */
type Content = Iterable<string> | Uint8Array;

/** Writes the pieces to a file, or to standard output if there is none; bytes go to files only. */
export async function writeResult(pieces: Iterable<string>, file?: string): Promise<void>;
export async function writeResult(pieces: Content, file: string): Promise<void>;
export async function writeResult(pieces: Content, file?: string): Promise<void> {
  checkName(file);
  if ((file === undefined || file === '-') && !(pieces instanceof Uint8Array)) {
    for (const block of blocksOf(pieces)) writeStandardOutput(block);
    return;
  }
  if (file === undefined) return;
  try {
    const existing = statSync(file, { throwIfNoEntry: false });
    // A device or pipe (/dev/null, /dev/stdout) is written to; replacing it by a file would be a disaster.
    if (existing !== undefined && !existing.isFile()) await writeTo(openSync(file, 'w'), pieces);
    else if (existing === undefined) await replaceWhole(file, 0o666, pieces);
    else {
      accessSync(file, constants.W_OK);
      await replaceWhole(realpathSync(file), existing.mode, pieces);
    }
  } catch (error) {
    throw unlessBug(error, file);
  }
}

/**
 * Tries whether a file could be written that a long search is to fill, and leaves nothing behind. Devices and pipes are left alone.
 * @throws CccError 'file'
 */
export function checkTarget(file?: string): void {
  checkName(file);
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

function checkName(file: string | undefined): void {
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

/** One by one: asked to make them all, Node tries for ever where the system takes no folders, as in /proc. */
function makeFolders(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  if (!existsSync(dirname(path))) makeFolders(dirname(path));
  mkdirSync(path);
}

/** Writes a file beside the one that is wanted, then puts it in its place; on Ctrl-C and errors nothing stays. */
async function replaceWhole(file: string, mode: number, pieces: Content): Promise<void> {
  const partial = partialOf(file);
  const descriptor = openSync(partial, 'wx', mode);
  const stop = (signal: (typeof endings)[number]): never => {
    rmSync(partial, { force: true });
    process.exit(128 + system.signals[signal]);
  };
  for (const signal of endings) process.on(signal, stop);
  try {
    await writeTo(descriptor, pieces);
    renameSync(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  } finally {
    for (const signal of endings) process.off(signal, stop);
  }
}

function partialOf(file: string): string {
  return `${file}.partial-${process.pid}`;
}

async function writeTo(descriptor: number, pieces: Content): Promise<void> {
  try {
    for (const block of pieces instanceof Uint8Array ? [pieces] : blocksOf(pieces)) {
      writeFully(descriptor, block);
      await setImmediate();
    }
  } finally {
    closeSync(descriptor);
  }
}

/** The pieces (an operation each, often) joined to blocks: one call of the system for thousands of them. */
function* blocksOf(pieces: Iterable<string>): Iterable<string> {
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

/** Text for people on standard output, in colours where these help. */
export function writeText(text: string): void {
  writeStandardOutput(text, true);
}

/** One JSON document on standard output. */
export function writeJson(document: unknown): void {
  writeStandardOutput(`${jsonText(document, 2)}\n`);
}

/**
 * Text on standard output, where nothing acts on the terminal that it may be. When its reader has gone (`ccc … | head`) the work is done, with the exit code as it stands.
 * @throws CccError 'file' when it cannot be written
 */
export function writeStandardOutput(text: string, isForPeople = false): void {
  try {
    const plain = plainLines(text);
    writeFully(1, isForPeople ? shownOn(process.stdout, plain) : plain);
  } catch (error) {
    if (codeOf(error) === 'EPIPE') process.exit();
    throw unlessBug(error, 'standard output');
  }
}

/** Everything that is not the result: reports, notes, progress. Nobody has to be able to read it. */
export function note(text: string): void {
  try {
    writeFully(2, shownOn(process.stderr, plainLines(text.endsWith('\n') ? text : `${text}\n`)));
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
  }
}

/** In lines and colours that suit the stream. */
function shownOn(stream: NodeJS.WriteStream, text: string): string {
  const width = stream.isTTY ? widthOf(stream) : undefined;
  const lines = width === undefined ? text : fitted(text, width);
  return hasColours(stream) ? painted(lines) : lines;
}

/** Pipes take what they can: goes on until all is written. */
function writeFully(descriptor: number, content: string | Uint8Array): void {
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

/** A pipe that does not block is full: a moment without work, for whoever reads it. */
function waitForReader(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
}

/** What the system refuses is the user's to know; anything else is a bug and stays what it is. */
function unlessBug(error: unknown, target: string): unknown {
  if (codeOf(error) === undefined) return error;
  return new CccError('file', `cannot write ${target}: ${reasonOf(error, target)}`);
}

/** The name of the system's error (ENOSPC); undefined for all others. */
function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'errno' in error && 'code' in error ? String(error.code) : undefined;
}

function reasonOf(error: unknown, target: string): string {
  switch (codeOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      // Folders that the system makes up, as /proc, take no files.
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
