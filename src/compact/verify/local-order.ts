/**
 * The part of happens-before that a rank knows without messages: lane order and `after`. In the program that all ranks execute shifted, a path over
 * messages leads from one rank to another, and the program alone does not show whether the path returns to the rank where it started. Local paths
 * stay on their rank, so what they order is ordered on every rank. As all their edges are local, they also order accesses under strict ownership.
 */

import type { Connections, PlanIndex } from '../../ir/plan-index.ts';
import { HappensBefore } from '../../verify/order/happens-before.ts';

export class CompactLocalOrder extends HappensBefore {
  constructor(index: PlanIndex, connections: Connections) {
    super(index, connections, undefined);
  }

  override predecessors(operation: number): number {
    this.found = 0;
    this.local(operation);
    this.locals = this.found;
    return this.found;
  }

  /** Returns none: no message orders anything here. */
  override messageTo(): number {
    return -1;
  }
}
