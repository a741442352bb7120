/** Where results go: standard output, or a file. What is printed moves no cursor, whatever names it quotes; a file gets what its emitter wrote. */
import { constants as system } from 'node:os';
import { jsonText, plainLines } from '../ir/plain-text.ts';
import { blocksOf, type Content, codeOf, unlessBug, writeFile, writeFully } from '../session/write-file.ts';
import { fitted, hasColours, painted, widthOf } from './terminal.ts';

export { checkTarget, makeFolder } from '../session/write-file.ts';

const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Writes the pieces to a file, or to standard output if there is none; bytes go to files only. */
export async function writeResult(pieces: Iterable<string>, file?: string): Promise<void>;
export async function writeResult(pieces: Content, file: string): Promise<void>;
export async function writeResult(pieces: Content, file?: string): Promise<void> {
  if ((file === undefined || file === '-') && !(pieces instanceof Uint8Array)) {
    for (const block of blocksOf(pieces)) writeStandardOutput(block);
  } else if (file !== undefined) await writeFile(pieces, file, withoutLeftovers);
}

/** On a signal the file that is only half written is removed before the process ends. */
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
