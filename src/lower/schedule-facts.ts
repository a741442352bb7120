/** What the lowering of every rank needs to know of the whole schedule. */
import type { Schedule } from '../ir/schedule.ts';
import type { Ranges } from './memory/pieces.ts';

export interface ScheduleFacts {
  /** In units of `grain` chunks, which are what memory cells hold. */
  readonly schedule: Schedule;
  readonly grain: number;
  /** Slices end where shards of so many cells do; more than there are where they need not. */
  readonly shard: number;
  /** What each transfer reads at its source and writes at its destination. */
  readonly reads: Ranges;
  readonly writes: Ranges;
  /** `data` has chunks where others belong (places.ts), and is kept in scratch. */
  readonly movesPlaces: boolean;
  /** The step of each transfer, from 1. */
  readonly stepOf: Int32Array;
  /** By step: 1 where reductions may be chained across connections. */
  readonly chained: Uint8Array;
  readonly bulks: number;
  /** Copies of scratch, of which the bulks use one after the other. */
  readonly scratchPerBulk: number;
}
