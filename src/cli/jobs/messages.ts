/** What threads say to each other about a job. */
import { CccError, type ErrorCode, type SourceRange } from '../../ir/diagnostic.ts';
import type { NamedModel } from './job.ts';
import type { JobName, RequestOf, ResultOf } from './registry.ts';

/** What a worker is told. */
export interface JobAssignment<Name extends JobName> {
  readonly name: Name;
  readonly request: RequestOf<Name>;
  /** One number: anything but 0 ends the search. */
  readonly stop: SharedArrayBuffer;
  readonly index: number;
  readonly workers: number;
  /** Whether somebody wants the models that are solved. */
  readonly wantsModels: boolean;
}

/** What a worker says. `best` is what it has so far, `done` its last word, as `failed` is. */
export type Report<Name extends JobName> =
  | { readonly kind: 'progress'; readonly text: string }
  | { readonly kind: 'model'; readonly model: NamedModel }
  | { readonly kind: 'best' | 'done'; readonly result: ResultOf<Name> }
  | { readonly kind: 'failed'; readonly error: ErrorParts };

/** An error in parts: classes get lost between threads. */
interface ErrorParts {
  readonly code: ErrorCode;
  readonly message: string;
  readonly range: SourceRange | undefined;
}

export function errorPartsOf({ code, message, range }: CccError): ErrorParts {
  return { code, message, range };
}

export function errorFrom({ code, message, range }: ErrorParts): CccError {
  return new CccError(code, message, range);
}
