/**
 * Writes results to standard output or to a file. Control characters are removed from what is printed, so that quoted names cannot move the cursor; a
 * file gets exactly what the emitter wrote.
 */
import { constants as system } from 'node:os';
import { jsonText, plainLines } from '../ir/plain-text.ts';
import { blocksOf, type Content, codeOf, unlessBug, writeFile, writeFully } from '../session/write-file.ts';
import { fitted, hasColours, painted, widthOf } from './terminal.ts';

export { checkTarget, makeFolder } from '../session/write-file.ts';

const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Writes pieces of text to a file, or to standard output if none is named. Bytes can be written to files only. */
export async function writeResult(pieces: Iterable<string>, file?: string): Promise<void>;
export async function writeResult(pieces: Content, file: string): Promise<void>;
export async function writeResult(pieces: Content, file?: string): Promise<void> {
  if ((file === undefined || file === '-') && !(pieces instanceof Uint8Array)) {
    for (const block of blocksOf(pieces)) writeStandardOutput(block);
  } else if (file !== undefined) await writeFile(pieces, file, withoutLeftovers);
}

/** Removes the half-written file if a signal ends the process. */
function withoutLeftovers(removePartial: () => void): () => void {
  const stop = (signal: (typeof endings)[number]): never => {
    removePartial();
    process.exit(128 + system.signals[signal]);
  };
  for (const signal of endings) process.on(signal, stop);
  return () => {
    for (const signal of endings) process.off(signal, stop);
  };
}

/** Writes text for users to standard output, with colours if the terminal has them. */
export function writeText(text: string): void {
  writeStandardOutput(text, true);
}

/** Writes one JSON document to standard output. */
export function writeJson(document: unknown): void {
  writeStandardOutput(`${jsonText(document, 2)}\n`);
}

/**
 * Writes text to standard output without control characters. If the reader has closed the pipe (`ccc … | head`), the command ends with its current
 * exit code.
 * @throws CccError 'file' if the text cannot be written
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

/** Writes everything that is not the result to standard error: reports, notes, progress. It is no failure if nobody can read it. */
export function note(text: string): void {
  try {
    writeFully(2, shownOn(process.stderr, plainLines(text.endsWith('\n') ? text : `${text}\n`)));
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
  }
}

/** Breaks and colours a text for a stream. */
function shownOn(stream: NodeJS.WriteStream, text: string): string {
  const width = stream.isTTY ? widthOf(stream) : undefined;
  const lines = width === undefined ? text : fitted(text, width);
  return hasColours(stream) ? painted(lines) : lines;
}
