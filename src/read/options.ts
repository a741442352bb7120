import type { SourceText } from '../ir/diagnostic.ts';
import type { Limits } from '../ir/limits.ts';

/** Options of the functions that read files. */
export interface ReadOptions {
  readonly limits?: Limits;
  /** Replaces the file system, for tests and for programs that keep their files elsewhere. */
  readonly read?: (path: string) => SourceText;
}
