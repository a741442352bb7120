/**
 * What trees that are not complete still ask of the capacities: each batch must be able to send its amount from any of
 * its nodes to every node outside.
 */
import type { Batch } from './batch.ts';
import { Delivery } from './delivery.ts';

export class Demands {
  private readonly ranks: number;
  private readonly capacity: Float64Array;
  private readonly delivery: Delivery;
  /** Batches that grow, with their numbers as suppliers; number 0 is the start of the edge that is asked for. */
  private readonly numberOf = new Map<Batch, number>();
  /** Numbers of the suppliers at each rank. */
  private readonly at: number[][];
  private released: number[] = [];
  private toldWork = 0;

  /** @param capacity what is left of each edge; it changes as batches are extended */
  constructor(ranks: number, capacity: Float64Array, batches: readonly Batch[]) {
    this.ranks = ranks;
    this.capacity = capacity;
    this.at = Array.from({ length: ranks }, () => []);
    this.delivery = new Delivery(ranks, capacity, this.at);
    for (const batch of batches) this.divided(batch);
  }

  /**
   * For how many trees of a batch an edge can be used, so that all others and the rest of these remain possible: what
   * flows from its start and from all other batches to its end, beyond what the others need.
   */
  spare(batch: Batch, from: number, to: number): number {
    const most = Math.min(batch.amount, this.capacity[from * this.ranks + to]);
    if (most === 0) return 0;
    const amounts = new Float64Array(this.numberOf.size + this.released.length + 1);
    let others = 0;
    for (const [other, number] of this.numberOf) {
      // Trees that have the node already need nothing there.
      if (other === batch || other.depth[to] !== -1) continue;
      amounts[number] = other.amount;
      others += other.amount;
    }
    amounts[0] = most;
    this.at[from].push(0);
    const arriving = this.delivery.most(amounts, to);
    this.at[from].pop();
    return Math.max(0, arriving - others);
  }

  /** Links and suppliers that were looked at since it was asked before. */
  newWork(): number {
    const { work } = this.delivery;
    const since = work - this.toldWork;
    this.toldWork = work;
    return since;
  }

  /** After a batch was extended to a node. */
  extended(batch: Batch, to: number): void {
    const number = this.numberOf.get(batch);
    if (number !== undefined) this.at[to].push(number);
  }

  /** A part of a batch has become one of its own. */
  divided(rest: Batch): void {
    const number = this.released.pop() ?? this.numberOf.size + 1;
    this.numberOf.set(rest, number);
    for (const node of rest.joined) this.at[node].push(number);
  }

  /** The trees of a batch are complete. */
  finished(batch: Batch): void {
    const number = this.numberOf.get(batch);
    if (number === undefined) return;
    this.numberOf.delete(batch);
    this.released.push(number);
    for (const there of this.at) there.splice(there.indexOf(number), 1);
  }
}
