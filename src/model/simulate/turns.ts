/**
 * Turns of messages for plans with `Plan.inTurn`: within a bulk, a message starts only once both of its ranks have completed all their operations of
 * earlier steps. So no message of a later step occupies a port that an earlier step needs, and a plan in which every rank exchanges one message per
 * step takes no longer than the sum of its steps.
 */
import type { Plan } from '../../ir/plan.ts';
import { PlanIndex } from '../../ir/plan-index.ts';

/** A message that waits for its turn. */
interface Held {
  readonly connection: number;
  readonly operation: number;
  readonly bulk: number;
}

export class Turns {
  private readonly step: Int32Array;
  private readonly rank: Int32Array;
  private readonly peer: Int32Array;
  private readonly steps: number;
  private readonly bulks: number;
  /** Number of operations, by rank and step, with which every bulk begins. */
  private readonly all: Int32Array;
  /** By bulk: the number of operations that are still open, by rank and step. */
  private readonly open: (Int32Array | undefined)[];
  /** By rank and bulk: the first step that has open operations, at `[rank · bulks + bulk]`. */
  private readonly current: Int32Array;
  private readonly held: Held[][];

  constructor(plan: Plan) {
    const { ops, bulks } = plan;
    const { ranks } = plan.collective;
    const lowest = ops.step.reduce((least, step) => Math.min(least, step), 0);
    this.step = ops.step.map((step) => step - lowest);
    this.steps = this.step.reduce((most, step) => Math.max(most, step), 0) + 1;
    this.peer = ops.peer;
    this.bulks = bulks;
    this.rank = PlanIndex.of(plan).rankOf;
    this.all = new Int32Array(ranks * this.steps);
    this.step.forEach((step, operation) => {
      this.all[this.rank[operation] * this.steps + step]++;
    });
    this.open = new Array<Int32Array | undefined>(bulks).fill(undefined);
    this.current = new Int32Array(ranks * bulks);
    this.held = Array.from({ length: ranks }, () => []);
    for (let rank = 0; rank < ranks; rank++) for (let bulk = 0; bulk < bulks; bulk++) this.proceed(rank, bulk);
  }

  /** Whether a message may start. If not, the message is kept until `done` returns it. */
  admits(connection: number, operation: number, bulk: number): boolean {
    const step = this.step[operation];
    for (const rank of [this.rank[operation], this.peer[operation]]) {
      if (this.current[rank * this.bulks + bulk] >= step) continue;
      this.held[rank].push({ connection, operation, bulk });
      return false;
    }
    return true;
  }

  /** Records that an operation is complete (a send: that its message has arrived). Returns the messages whose turn may have come. */
  done(operation: number, bulk: number): readonly Held[] {
    const rank = this.rank[operation];
    this.openOf(bulk)[rank * this.steps + this.step[operation]]--;
    if (!this.proceed(rank, bulk)) return [];
    const released = this.held[rank];
    this.held[rank] = [];
    return released;
  }

  /** Releases a waiting message if nothing else can happen, which occurs if the steps of a plan contradict its dependencies. */
  anyHeld(): Held | undefined {
    return this.held.find((list) => list.length > 0)?.shift();
  }

  private openOf(bulk: number): Int32Array {
    const open = this.open[bulk] ?? this.all.slice();
    this.open[bulk] = open;
    return open;
  }

  /** Advances a rank to its first step with open operations. Returns whether that is a later step than before. */
  private proceed(rank: number, bulk: number): boolean {
    const open = this.open[bulk] ?? this.all;
    const at = rank * this.bulks + bulk;
    const before = this.current[at];
    while (this.current[at] < this.steps && open[rank * this.steps + this.current[at]] === 0) this.current[at]++;
    return this.current[at] > before;
  }
}
