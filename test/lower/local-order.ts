/** Which operations of one rank are ordered by its lanes and waits alone, and which touch the same memory. */
import { memoryLayout } from '../../src/ir/collective.ts';
import { operationAt, type Plan } from '../../src/ir/plan.ts';
import { cellsOf } from './execution.ts';

/** An operation in one bulk: `bulk · operations + operation`. */
export type Event = number;

/** Whether event a is always complete before b runs, from lanes and waits of a plan over some bulks. */
export class LocalOrder {
  private readonly before: Set<Event>[];

  /** @param without a wait (its place in `afterOp`) to leave out */
  constructor(plan: Plan, bulks: number, without = -1) {
    const operations = plan.ops.kind.length;
    this.before = Array.from({ length: operations * bulks }, () => new Set<Event>());
    const visited = new Set<Event>();
    const learn = (event: Event, from: Event): void => {
      visit(from);
      this.before[event].add(from);
      for (const other of this.before[from]) this.before[event].add(other);
    };
    const visit = (event: Event): void => {
      if (visited.has(event)) return;
      visited.add(event);
      const bulk = Math.floor(event / operations);
      const operation = event % operations;
      const lane = plan.firstOp.findLastIndex((first) => first <= operation);
      if (operation > plan.firstOp[lane]) learn(event, event - 1);
      else if (bulk > 0) learn(event, (bulk - 1) * operations + plan.firstOp[lane + 1] - 1);
      for (let a = plan.ops.firstAfter[operation]; a < plan.ops.firstAfter[operation + 1]; a++) {
        const earlier = bulk - plan.ops.afterBulks[a];
        if (earlier >= 0 && a !== without) learn(event, earlier * operations + plan.ops.afterOp[a]);
      }
    };
    for (let event = 0; event < operations * bulks; event++) visit(event);
  }

  has(a: Event, b: Event): boolean {
    return this.before[b].has(a);
  }
}

/** Pairs of events of one rank that touch the same cell, one of them writing; of different bulks, only in scratch. */
export function conflicts(plan: Plan, bulks: number): [Event, Event][] {
  const operations = plan.ops.kind.length;
  const pairs: [Event, Event][] = [];
  for (let rank = 0; rank < plan.buffers.length; rank++) {
    const { cells } = memoryLayout(plan.collective, rank);
    const events: { event: Event; reads: Set<number>; writes: Set<number> }[] = [];
    for (let o = plan.firstOp[plan.firstLane[rank]]; o < plan.firstOp[plan.firstLane[rank + 1]]; o++) {
      const operation = operationAt(plan, o);
      const reads = 'src' in operation ? cellsOf(plan, rank, operation.src) : [];
      const writes = 'dst' in operation ? cellsOf(plan, rank, operation.dst) : [];
      for (let bulk = 0; bulk < bulks; bulk++) {
        const copy = bulk % plan.scratchPerBulk;
        const place = (cell: number): number => cell + (cell < cells ? bulk : copy) * 1_000_000;
        events.push({
          event: bulk * operations + o,
          reads: new Set(reads.map(place)),
          writes: new Set(writes.map(place)),
        });
      }
    }
    for (const a of events) {
      for (const b of events) {
        if (a.event >= b.event) continue;
        const meet = [...a.writes].some((cell) => b.reads.has(cell) || b.writes.has(cell));
        if (meet || [...a.reads].some((cell) => b.writes.has(cell))) pairs.push([a.event, b.event]);
      }
    }
  }
  return pairs;
}
