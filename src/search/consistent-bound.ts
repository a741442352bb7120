/** Compares a plan with its lower bound: a contradiction between the two is a bug in ccc, and never hidden. */
import { unprovedText } from '../emit/json.ts';
import type { Plan } from '../ir/plan.ts';
import { type Bound, ContradictedBound, contradictedClaims } from '../ir/report.ts';
import type { Topology } from '../ir/topology.ts';
import type { Bytes, Seconds } from '../ir/units.ts';

/** A correct plan with its simulated time. */
export interface SimulatedPlan {
  readonly plan: Plan;
  readonly topology: Topology;
  readonly size: Bytes;
  readonly seconds: Seconds;
}

/**
 * The bound, if the plan takes at least as long.
 * @param request what the plan was compiled for; functions in it are left out
 * @throws ContradictedBound with all that reproduces it
 */
export function consistentBound(bound: Bound, timed: SimulatedPlan, request: object): Bound {
  const { plan, topology, size, seconds } = timed;
  const claims = contradictedClaims(bound, seconds);
  if (claims.length === 0) return bound;
  throw new ContradictedBound({ request, topology, size, seconds, plan: [...unprovedText(plan)].join(''), claims });
}
