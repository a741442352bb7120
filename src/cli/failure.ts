/** Defines how a failed command ends: what is printed, and the exit code (the start page of the docs lists the codes). */

import { CccError, type ErrorCode, formatRange, positionOf, type SourceRange } from '../ir/diagnostic.ts';
import { oneLine } from '../ir/plain-text.ts';

export const exitCodes = { done: 0, failed: 1, usage: 2, stopped: 3, bug: 70 } as const;

const exitOfError: Readonly<Record<ErrorCode, number>> = {
  usage: exitCodes.usage,
  'unknown-name': exitCodes.usage,
  file: exitCodes.usage,
  syntax: exitCodes.usage,
  schema: exitCodes.usage,
  expression: exitCodes.usage,
  range: exitCodes.usage,
  unit: exitCodes.usage,
  limit: exitCodes.usage,
  topology: exitCodes.usage,
  disconnected: exitCodes.failed,
  schedule: exitCodes.usage,
  malformed: exitCodes.failed,
  unproved: exitCodes.failed,
  'no-plan': exitCodes.failed,
  unsupported: exitCodes.failed,
  stopped: exitCodes.stopped,
};

/** A place in a file, in JSON documents. */
export interface JsonSource {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export function jsonSource(range: SourceRange | undefined): JsonSource | undefined {
  if (range === undefined) return undefined;
  return { file: range.source.name, ...positionOf(range.source, range.start) };
}

/** Returns the exit code for an error. Anything but a CccError is a bug in ccc. */
export function exitCodeOf(error: unknown): number {
  return error instanceof CccError ? exitOfError[error.code] : exitCodes.bug;
}

/** Makes the document that `--json` prints for an error. */
export function jsonOfError(error: unknown): object {
  if (!(error instanceof CccError)) return { ok: false, error: { code: 'bug', message: String(error) } };
  return { ok: false, error: { code: error.code, message: error.message, source: jsonSource(error.range) } };
}

/** Writes an error as text: its message and, if it has a place in a file, that line with carets under the place. */
export function textOfError(error: unknown): string {
  if (!(error instanceof CccError)) {
    const trace = process.env.CCC_DEBUG !== undefined && error instanceof Error ? `\n${error.stack}` : '';
    return `ccc: this is a bug in ccc, please report it: ${String(error)}${trace}\n`;
  }
  if (error.range === undefined) return `ccc: ${oneLine(error.message)}\n`;
  return `${oneLine(`${formatRange(error.range)}: ${error.message}`)}\n${caretLines(error.range)}`;
}

/** Returns the source line with carets under the range, as far as the range lies on this line. */
export function caretLines(range: SourceRange): string {
  const { source, start, end } = range;
  const { line, column } = positionOf(source, start);
  const lineStart = start - (column - 1);
  const lineBreak = source.text.indexOf('\n', start);
  const lineEnd = lineBreak === -1 ? source.text.length : lineBreak;
  const width = 100;
  const from = Math.max(lineStart, start - width / 2);
  const shown = oneLine(source.text.slice(from, Math.min(lineEnd, from + width)).replace(/[\t\r]/g, ' '));
  const carets = Math.max(1, Math.min(end, lineEnd, from + width) - start);
  const gutter = String(line);
  return `${gutter} | ${shown.trimEnd()}\n${' '.repeat(gutter.length)} | ${' '.repeat(start - from)}${'^'.repeat(carets)}\n`;
}
