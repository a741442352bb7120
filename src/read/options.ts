import type { SourceText } from '../ir/diagnostic.ts';
import type { Limits } from '../ir/limits.ts';

/** How the functions of this room that read files may be told to. */
export interface ReadOptions {
  readonly limits?: Limits;
  /** Replaces the file system, for tests and for programs that keep their files elsewhere. */
  readonly read?: (path: string) => SourceText;
}
