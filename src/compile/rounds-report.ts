import type { Seconds } from '../ir/units.ts';

/** What the stage of rounds found (in-rounds.ts), better or not. */
export interface RoundsReport {
  /** For people, such as `HiGHS 1.15.0`. */
  readonly solver: string;
  /** The best plan before, and with it. */
  readonly before: Seconds;
  readonly after: Seconds;
  readonly rounds: number;
  /** Of whole chunks, where they made the better plan. */
  readonly steps: number | undefined;
  /** What the rounds take in chunks as small as one likes. No bound. */
  readonly seconds: Seconds;
}
