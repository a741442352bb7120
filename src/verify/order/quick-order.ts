/**
 * A quick, conservative test whether one event happens before another. It answers nearly all queries of the race check. `true` is always right;
 * `false` only means that this test could not decide.
 */

import type { Ownership } from '../ownership.ts';
import type { EventOrder } from './event-order.ts';

export class QuickOrder {
  private readonly events: EventOrder;
  private readonly ownership: Ownership;
  /**
   * A spanning forest of happens-before, numbered in preorder: a is an ancestor of b if b's number lies in the range of a's subtree. The forest
   * prefers edges along which data moves (send → receive, `after`).
   */
  private readonly preorder: Int32Array;
  private readonly subtree: Int32Array;

  /** @param order a complete run */
  constructor(events: EventOrder, order: Int32Array, ownership: Ownership) {
    this.events = events;
    this.ownership = ownership;
    const parent = new Int32Array(events.laneOf.length);
    for (const event of order) parent[event] = events.mainPredecessor(event);
    this.subtree = new Int32Array(parent.length).fill(1);
    for (let at = order.length - 1; at >= 0; at--) {
      const event = order[at];
      if (parent[event] !== -1) this.subtree[parent[event]] += this.subtree[event];
    }
    this.preorder = new Int32Array(parent.length);
    const free = new Int32Array(parent.length);
    let nextRoot = 0;
    for (const event of order) {
      const above = parent[event];
      const number = above === -1 ? nextRoot : free[above];
      if (above === -1) nextRoot += this.subtree[event];
      else free[above] += this.subtree[event];
      this.preorder[event] = number;
      free[event] = number + 1;
    }
  }

  /**
   * Returns true only if `earlier` is certainly complete before the `later` of `bulks` bulks later starts. The run must have the events in this
   * order.
   */
  isBefore(earlier: number, later: number, bulks: number): boolean {
    const { events } = this;
    const { laneOf } = events;
    const strict = this.ownership === 'strict';
    if (laneOf[earlier] === laneOf[later] || (!strict && this.isAncestor(earlier, later))) return true;
    const above = strict ? events.firstToKnow(earlier) : earlier;
    const found = events.predecessors(later);
    const count = strict ? events.locals : found;
    for (let p = 0; p < count; p++) {
      const last = events.before[p];
      if (events.gap[p] > bulks) continue;
      const sameLane =
        laneOf[last] === laneOf[earlier] &&
        (events.positionOf(last) >= events.positionOf(earlier) || events.gap[p] < bulks);
      if (sameLane || (above !== -1 && this.isAncestor(above, last))) return true;
    }
    return false;
  }

  private isAncestor(above: number, below: number): boolean {
    const distance = this.preorder[below] - this.preorder[above];
    return distance >= 0 && distance < this.subtree[above];
  }
}
