/**
 * One error class for everything a user can cause, with a closed set of codes. Positions are attached where
 * the text is read and carried along; how they are printed (caret line, JSON) is the command line's business.
 */

/** A text that was read, with the name people know it by (a path as the user gave it, `<stdin>`, `--topo`). */
export interface SourceText {
  readonly name: string;
  readonly text: string;
}

/** Half-open range of UTF-16 offsets within a text. */
export interface SourceRange {
  readonly source: SourceText;
  readonly start: number;
  readonly end: number;
}

/** A position as people count: both from 1. */
export interface LineColumn {
  readonly line: number;
  readonly column: number;
}

/** What went wrong, as a closed set; the command line maps each to an exit code. */
export type ErrorCode =
  /** Command-line arguments that contradict each other or make no sense. */
  | 'usage'
  /** A name that does not exist; the message lists similar names that do. */
  | 'unknown-name'
  /** A file that cannot be read or written. */
  | 'file'
  /** Text that is not the YAML, JSON or XML it should be. */
  | 'syntax'
  /** A document whose fields are missing, unknown or of the wrong type. */
  | 'schema'
  /** An expression in a YAML file that does not parse or cannot be evaluated. */
  | 'expression'
  /** A number outside its permitted range. */
  | 'range'
  /** A quantity with a wrong or missing unit. */
  | 'unit'
  /** Input larger than a limit; the message names the limit and the flag that raises it. */
  | 'limit'
  /** A topology that cannot be used: a link that is not there, a chip too many. */
  | 'topology'
  /** A topology on which some chip cannot reach another: no plan exists. */
  | 'disconnected'
  /** A schedule that does not fit the collective or the number of ranks asked for. */
  | 'schedule'
  /** A plan that is not well formed (the verifier's first check, found while reading). */
  | 'malformed'
  /** A plan that failed verification. */
  | 'unproved'
  /** No candidate that was tried gives a valid plan. */
  | 'no-plan'
  /** A time or memory limit ended the work. */
  | 'stopped'
  /** A target format that cannot express the plan. */
  | 'unsupported';

/** One of several things that an error is about, for programs: a candidate that could not be used, a finding of the verifier. */
export interface ErrorFinding {
  readonly subject: string;
  readonly message: string;
}

/** The one error for everything a user can cause. Anything else that is thrown is a bug in ccc. */
export class CccError extends Error {
  override readonly name = 'CccError';
  readonly code: ErrorCode;
  readonly range: SourceRange | undefined;
  /** The findings that the message summarises; empty for most errors. */
  readonly findings: readonly ErrorFinding[];

  constructor(code: ErrorCode, message: string, range?: SourceRange, findings: readonly ErrorFinding[] = []) {
    super(message);
    this.code = code;
    this.range = range;
    this.findings = findings;
  }
}

/** Line and column of an offset. */
export function positionOf(source: SourceText, offset: number): LineColumn {
  const before = source.text.slice(0, offset);
  const lastBreak = before.lastIndexOf('\n');
  let line = 1;
  for (let at = before.indexOf('\n'); at !== -1; at = before.indexOf('\n', at + 1)) line++;
  return { line, column: offset - lastBreak };
}

/** `file:line:column` of where a range starts, for messages on one line. */
export function formatRange(range: SourceRange): string {
  const { line, column } = positionOf(range.source, range.start);
  return `${range.source.name}:${line}:${column}`;
}
