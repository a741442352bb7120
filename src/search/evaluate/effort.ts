/**
 * How much may be simulated during the search for one candidate's pipeline depth, counted in operations so that the
 * result does not depend on the clock.
 */
import { budgetFactor, type Effort, partOfWork } from '../../ir/effort.ts';
import type { Topology } from '../../ir/topology.ts';

/** Limit on operations × bulks of a complete simulation, unless the limits of the request are smaller. */
export const maxSimulatedOperations = 3_000_000;
/** A plan whose time is at most this multiple of the lower bound is good enough. */
export const nearEnough = 1.005;

/** The part of the budget `most` that this effort allows; a quick search gets less on machines with more chips. */
export function allowedOf(most: number, effort: Effort, { chips }: Topology): number {
  return Math.min(most, most * partOfWork[effort] * budgetFactor(chips.length));
}
