/** Lowers schedules for a machine: staged, if its links access a fast memory only. */
import type { Plan } from '../ir/plan.ts';
import type { Schedule } from '../ir/schedule.ts';
import { ranksOf, type Topology } from '../ir/topology.ts';
import { type Bytes, defaultMessageSize } from '../ir/units.ts';
import { lower, lowerToFit, staged } from '../lower/index.ts';

/**
 * The plan of a schedule in one bulk or, on machines with staging, in the minimum number of bulks for which its scratch fits, for a message of `size`
 * bytes.
 * @throws CccError 'limit' if no number of bulks fits
 */
export function planFor(schedule: Schedule, topology: Topology | undefined, size: Bytes = defaultMessageSize): Plan {
  // A machine with another number of ranks is reported by the verification of the plan.
  if (topology?.staging === undefined || ranksOf(topology) !== schedule.collective.ranks) return lower(schedule);
  return lowerToFit(staged(schedule, topology), schedule.name, { bulks: 'auto', topology, size });
}

/** The same machine with links that access all memory. */
export function withoutStaging(topology: Topology | undefined): Topology | undefined {
  return topology?.staging === undefined ? topology : { ...topology, staging: undefined };
}
