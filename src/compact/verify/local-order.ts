/**
 * What one rank knows by itself: lane order and `after`, and nothing that messages tell. In the program that all ranks run
 * shifted, a path over messages leads from one rank to another; whether it comes back to where it started the program
 * alone does not show. Local paths stay on their rank, so what they order is ordered on every rank; and as all their
 * edges are local, it is so under strict ownership too.
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

  /** None: no message orders anything here. */
  override messageTo(): number {
    return -1;
  }
}
