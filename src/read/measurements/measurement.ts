/** Times that somebody measured, as their files say them. */
import type { CollectiveKind } from '../../ir/collective.ts';
import type { SourceRange } from '../../ir/diagnostic.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';

/** One time of one call. */
export interface Measurement {
  /** What ran: a file, or an algorithm that comes with ccc; undefined where the format does not say it. */
  readonly plan: string | undefined;
  /** `LL`, `LL128`, `Simple`, or what the machine calls its protocols; undefined where nothing is said. */
  readonly protocol: string | undefined;
  /** Bytes, as `counted` says. */
  readonly size: Bytes;
  /** `message`: M; `block`: what goes from one rank to another, as OSU and IMB count collectives with a part for each rank. */
  readonly counted: 'message' | 'block';
  readonly seconds: Seconds;
  /** Undefined where nothing is said. */
  readonly inPlace: boolean | undefined;
  readonly place: SourceRange;
}

/** What a file of measurements holds. */
export interface MeasurementTable {
  readonly measurements: readonly Measurement[];
  /** What the format says was called; undefined where it does not. */
  readonly collective: CollectiveKind | undefined;
  /** The day of the latest measurement, `2024-04-03`, where the file says it. */
  readonly date: string | undefined;
  /** What was not taken, and why: `3 rows for 2 processes`. */
  readonly notes: readonly string[];
}
