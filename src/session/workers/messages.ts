/** The messages between the thread that asks for a job and the workers that do it. */
import { CccError, type ErrorCode, type ErrorFinding, type SourceRange } from '../../ir/diagnostic.ts';
import type { NamedModel } from './job-control.ts';

/** What a worker is started with. */
export interface Assignment<Request> {
  /** The name of the job. */
  readonly name: string;
  readonly request: Request;
  /** One 32-bit number, shared by all threads: anything but 0 stops the job. */
  readonly stop: SharedArrayBuffer;
  /** Number of the worker, from 0, and how many there are. */
  readonly index: number;
  readonly workers: number;
  /** Whether the caller wants the linear models that are solved: they may be large. */
  readonly wantsModels: boolean;
}

/** A message from a worker. `best` is a result so far; `done` and `failed` are the worker's last message. */
export type Report<Result> =
  | { readonly kind: 'progress'; readonly text: string }
  | { readonly kind: 'model'; readonly model: NamedModel }
  | { readonly kind: 'best' | 'done'; readonly result: Result }
  | { readonly kind: 'failed'; readonly error: ErrorParts };

/** The fields of a `CccError`, since `postMessage` loses classes. */
export interface ErrorParts {
  readonly code: ErrorCode;
  readonly message: string;
  readonly range: SourceRange | undefined;
  readonly findings: readonly ErrorFinding[];
}

export function partsOf({ code, message, range, findings }: CccError): ErrorParts {
  return { code, message, range, findings };
}

export function errorFrom({ code, message, range, findings }: ErrorParts): CccError {
  return new CccError(code, message, range, findings);
}
