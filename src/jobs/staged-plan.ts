/** Schedules as plans of the machine that they are for: staged, where its links reach a fast memory only. */
import type { Plan } from '../ir/plan.ts';
import type { Schedule } from '../ir/schedule.ts';
import { ranksOf, type Topology } from '../ir/topology.ts';
import { type Bytes, defaultMessageSize } from '../ir/units.ts';
import { lower, lowerToFit, staged } from '../lower/index.ts';

/**
 * The plan of a schedule, in one bulk, or in as few as its scratch fits with for a message of `size` bytes.
 * @throws CccError 'limit' where none fits
 */
export function planFor(schedule: Schedule, topology: Topology | undefined, size: Bytes = defaultMessageSize): Plan {
  // Whoever judges the plan says that the machine has other ranks.
  if (topology?.staging === undefined || ranksOf(topology) !== schedule.collective.ranks) return lower(schedule);
  return lowerToFit(staged(schedule, topology), schedule.name, { bulks: 'auto', topology, size });
}

/** The same machine with links that reach all memory. */
export function withoutStaging(topology: Topology | undefined): Topology | undefined {
  return topology?.staging === undefined ? topology : { ...topology, staging: undefined };
}
