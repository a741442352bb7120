/** The events of a flat plan and the order that lanes, waits and messages give them. */
import type { FlatPlan } from './flat.ts';
import { EventOrder } from './order.ts';

/** An operation is reached, then done; a rank begins before all of its operations. */
export class Events {
  readonly order: EventOrder;
  private readonly operations: number;

  /** @param messages whether a message orders all that came before it, as signals do and packets do not */
  constructor({ operations, partner, buffers }: FlatPlan, messages: boolean) {
    this.operations = operations.length;
    const edges: (readonly [number, number])[] = [];
    operations.forEach(({ kind, previous, after, rank }, id) => {
      edges.push([this.reached(id), this.done(id)]);
      edges.push([previous === -1 ? this.start(rank) : this.done(previous), this.reached(id)]);
      for (const earlier of after) edges.push([this.done(earlier), this.reached(id)]);
      if (messages && kind === 'receive') edges.push([this.done(partner[id]), this.done(id)]);
    });
    this.order = new EventOrder(2 * operations.length + buffers.length, edges);
  }

  reached(operation: number): number {
    return 2 * operation;
  }

  done(operation: number): number {
    return 2 * operation + 1;
  }

  start(rank: number): number {
    return 2 * this.operations + rank;
  }
}
