/** Measured times of collectives, as the files of benchmarks report them. */
import type { CollectiveKind } from '../../ir/collective.ts';
import type { SourceRange } from '../../ir/diagnostic.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';

/** The measured time of one call, or the mean of several. */
export interface Measurement {
  /** What ran: the name of a plan's file, or of an algorithm that comes with ccc; undefined if the format does not say it. */
  readonly plan: string | undefined;
  /** `LL`, `LL128`, `Simple`, or another name that the machine has for a protocol; undefined if the file does not say it. */
  readonly protocol: string | undefined;
  /** Bytes; `counted` says of what. */
  readonly size: Bytes;
  /**
   * What `size` measures. `message`: M. `block`: the part that one rank sends to one other, which OSU and IMB report for collectives with one block
   * per rank.
   */
  readonly counted: 'message' | 'block';
  readonly seconds: Seconds;
  /** Whether input and output shared memory; undefined if the file does not say it. */
  readonly inPlace: boolean | undefined;
  readonly place: SourceRange;
}

/** The content of a file of measurements. */
export interface MeasurementTable {
  readonly measurements: readonly Measurement[];
  /** The collective that the file says was called; undefined if it does not say so. */
  readonly collective: CollectiveKind | undefined;
  /** The date of the latest measurement, such as `2024-04-03`, if the file has dates. */
  readonly date: string | undefined;
  /** Which rows were skipped, and why: `3 rows for 2 processes`. */
  readonly notes: readonly string[];
}
