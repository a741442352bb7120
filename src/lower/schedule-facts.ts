/** The facts about the whole schedule that the lowering of every rank needs. */
import type { Schedule } from '../ir/schedule.ts';
import type { Ranges } from './memory/pieces.ts';

export interface ScheduleFacts {
  /** The schedule in units of `grain` chunks; a memory cell holds one unit. */
  readonly schedule: Schedule;
  readonly grain: number;
  /** Cells per shard, if slices must not extend beyond a shard; otherwise a number larger than any buffer. */
  readonly shard: number;
  /** What each transfer reads at its source and writes at its destination. */
  readonly reads: Ranges;
  readonly writes: Ranges;
  /** Whether the schedule keeps chunks in slots of `data` where others belong (places.ts), so that `data` is kept in scratch. */
  readonly movesPlaces: boolean;
  /** The step of each transfer, from 1. */
  readonly stepOf: Int32Array;
  /** By step: 1 if reductions may be chained across connections. */
  readonly chained: Uint8Array;
  readonly bulks: number;
  /** Number of copies of scratch, which the bulks use in rotation. */
  readonly scratchPerBulk: number;
}
