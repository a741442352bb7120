import type { Run } from './runs.ts';

/** A run, with who looks after its chunks and where they lie: all by chunk, places as offsets in the owner's scratch. */
export interface Kept {
  readonly run: Run;
  readonly parts: readonly Kept[];
  readonly owners: Int32Array;
  /** By part: its sum, then the sum up to and including it, at last what comes before the part after it. */
  readonly sums: readonly Int32Array[];
  /** What comes before the run; it is set when that is known. */
  before: Int32Array | undefined;
}
