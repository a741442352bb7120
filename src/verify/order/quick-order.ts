/**
 * Quick ways to see that one operation is before another; they answer nearly every question of rung 5 and are never
 * wrong when they say yes. A no only means "not seen".
 */

import { isReceive, isSend } from '../../ir/plan.ts';
import type { Ownership } from '../ownership.ts';
import type { HappensBefore } from './happens-before.ts';

export class QuickOrder {
  private readonly happens: HappensBefore;
  private readonly ownership: Ownership;
  /**
   * A spanning forest of happens-before whose edges prefer the way data goes (send → receive, `after`), numbered in
   * preorder: a is an ancestor of b when b's number lies among those of a's subtree.
   */
  private readonly preorder: Int32Array;
  private readonly subtree: Int32Array;

  /** `order` must be a complete run. */
  constructor(happens: HappensBefore, order: Int32Array, ownership: Ownership) {
    this.happens = happens;
    this.ownership = ownership;
    const parent = new Int32Array(order.length);
    for (const operation of order) parent[operation] = this.parentOf(operation);
    this.subtree = new Int32Array(order.length).fill(1);
    for (let at = order.length - 1; at >= 0; at--) {
      const operation = order[at];
      if (parent[operation] !== -1) this.subtree[parent[operation]] += this.subtree[operation];
    }
    this.preorder = new Int32Array(order.length);
    const free = new Int32Array(order.length);
    let nextRoot = 0;
    for (const operation of order) {
      const above = parent[operation];
      const number = above === -1 ? nextRoot : free[above];
      if (above === -1) nextRoot += this.subtree[operation];
      else free[above] += this.subtree[operation];
      this.preorder[operation] = number;
      free[operation] = number + 1;
    }
  }

  /** True only if `earlier` is certainly complete before `later` of `bulks` bulks later starts; the run has them in this order. */
  isBefore(earlier: number, later: number, bulks: number): boolean {
    const { happens } = this;
    const { laneOf } = happens.index;
    const strict = this.ownership === 'strict';
    if (laneOf[earlier] === laneOf[later] || (!strict && this.isAncestor(earlier, later))) return true;
    const above = strict ? this.firstKnower(earlier) : earlier;
    const found = happens.predecessors(later);
    const count = strict ? happens.locals : found;
    for (let p = 0; p < count; p++) {
      const last = happens.before[p];
      if (happens.gap[p] > bulks) continue;
      const sameLane = laneOf[last] === laneOf[earlier] && (last >= earlier || happens.gap[p] < bulks);
      if (sameLane || (above !== -1 && this.isAncestor(above, last))) return true;
    }
    return false;
  }

  /** The operation below which all know that `earlier` is complete: a send's message does not say so, the next of its lane does. */
  private firstKnower(earlier: number): number {
    const { plan, laneOf } = this.happens.index;
    if (!isSend(plan, earlier)) return earlier;
    return earlier + 1 < plan.firstOp[laneOf[earlier] + 1] ? earlier + 1 : -1;
  }

  private isAncestor(above: number, below: number): boolean {
    const distance = this.preorder[below] - this.preorder[above];
    return distance >= 0 && distance < this.subtree[above];
  }

  /** The operation that brought the data: a receive's send, else the first `after`, else the one before it in its lane. */
  private parentOf(operation: number): number {
    const { plan, laneOf } = this.happens.index;
    const message = isReceive(plan, operation) ? this.happens.messageTo(operation) : -1;
    if (message !== -1) return message;
    const { firstAfter, afterOp, afterBulks } = plan.ops;
    for (let a = firstAfter[operation]; a < firstAfter[operation + 1]; a++) if (afterBulks[a] === 0) return afterOp[a];
    return operation > plan.firstOp[laneOf[operation]] ? operation - 1 : -1;
  }
}
