/**
 * Adds waits for runtimes that own a buffer from the posting of an operation until its rank knows the operation to be complete (MPI, RDMA;
 * "Ownership" in docs/verification.md). On these, what another rank has done in between does not order two operations: if both access a slot and one
 * of them writes, the second must wait for the first by lane order or `after`.
 */
import { memoryLayout } from '../ir/collective.ts';
import { IntColumn } from '../ir/column.ts';
import { operationCount, type Plan } from '../ir/plan.ts';
import { PlanIndex } from '../ir/plan-index.ts';
import { runOrder } from '../ir/run-order.ts';
import { LocalOrder } from './order/local-order.ts';

/** An operation waits for another one of the same rank, `bulks` bulks earlier. */
interface Wait {
  readonly operation: number;
  readonly dependency: number;
  readonly bulks: number;
}

/**
 * The plan with the waits that strict ownership requires, without those within a bulk that others imply. If the plan is free of races under the order
 * of events, the result is free of races under strict ownership, and it runs with the same depths of connections: each new wait joins two operations
 * that already happen in this order.
 */
export function ownStrictly(plan: Plan): Plan {
  const waits: Wait[] = [];
  const byRank: number[][] = plan.buffers.map(() => []);
  const rankOf = PlanIndex.of(plan).rankOf;
  for (const operation of runOrder(plan)) byRank[rankOf[operation]].push(operation);
  byRank.forEach((operations, rank) => {
    addWaits(plan, rank, operations, waits);
  });
  return withWaits(plan, waits);
}

/** Adds the waits of one rank. @param operations in an order in which they can run */
function addWaits(plan: Plan, rank: number, operations: readonly number[], waits: Wait[]): void {
  const { ops, firstLane, firstOp, bulks, scratchPerBulk } = plan;
  const lanes = firstLane[rank + 1] - firstLane[rank];
  const base = firstOp[firstLane[rank]];
  const laneOf = new Int32Array(firstOp[firstLane[rank + 1]] - base);
  for (let lane = 0; lane < lanes; lane++) {
    laneOf.fill(lane, firstOp[firstLane[rank] + lane] - base, firstOp[firstLane[rank] + lane + 1] - base);
  }
  const order = new LocalOrder(lanes);
  const placeOf = new Int32Array(laneOf.length);
  const cells = new CellHistory(plan, rank);
  operations.forEach((operation, place) => {
    placeOf[operation - base] = place;
    for (let a = ops.firstAfter[operation]; a < ops.firstAfter[operation + 1]; a++) {
      const [dependency, earlier] = [ops.afterOp[a], ops.afterBulks[a]];
      if (earlier === 0) order.ask(placeOf[dependency - base]);
      else waits.push({ operation, dependency, bulks: earlier });
    }
    for (const dependency of cells.conflicts(operation)) order.ask(placeOf[dependency - base]);
    const kept = order.place(laneOf[operation - base]);
    for (let w = 0; w < kept; w++) waits.push({ operation, dependency: operations[order.waitedFor(w)], bulks: 0 });
    cells.note(operation);
  });
  if (bulks <= scratchPerBulk) return;
  for (const [first, last] of cells.reusePairs()) {
    if (laneOf[first - base] === laneOf[last - base] || waitsAlready(plan, first, last, scratchPerBulk)) continue;
    waits.push({ operation: first, dependency: last, bulks: scratchPerBulk });
  }
}

function waitsAlready({ ops }: Plan, operation: number, dependency: number, bulks: number): boolean {
  for (let a = ops.firstAfter[operation]; a < ops.firstAfter[operation + 1]; a++) {
    if (ops.afterOp[a] === dependency && ops.afterBulks[a] === bulks) return true;
  }
  return false;
}

/** By memory cell of a rank: its first and last write, and the reads since the last write. */
class CellHistory {
  private readonly plan: Plan;
  /** The first cell of input, output and scratch. */
  private readonly start: readonly number[];
  private readonly firstWrite: Int32Array;
  private readonly lastWrite: Int32Array;
  /** The newest entry of the cell's list of reads since the last write, −1 for none. */
  private readonly lastRead: Int32Array;
  private readonly reader = new IntColumn();
  private readonly previousRead = new IntColumn();

  constructor(plan: Plan, rank: number) {
    const { input, output, cells } = memoryLayout(plan.collective, rank);
    this.plan = plan;
    this.start = [input, output, cells];
    const size = cells + plan.buffers[rank].scratch;
    this.firstWrite = new Int32Array(size).fill(-1);
    this.lastWrite = new Int32Array(size).fill(-1);
    this.lastRead = new Int32Array(size).fill(-1);
  }

  /** The latest earlier operations that conflict with an operation. Older conflicts follow from these. */
  conflicts(operation: number): ReadonlySet<number> {
    const found = new Set<number>();
    this.forSource(operation, (cell) => {
      if (this.lastWrite[cell] >= 0) found.add(this.lastWrite[cell]);
    });
    this.forTarget(operation, (cell) => {
      for (const other of this.lastAccesses(cell)) found.add(other);
    });
    return found;
  }

  note(operation: number): void {
    this.forSource(operation, (cell) => {
      this.previousRead.push(this.lastRead[cell]);
      this.lastRead[cell] = this.reader.length;
      this.reader.push(operation);
    });
    this.forTarget(operation, (cell) => {
      if (this.firstWrite[cell] < 0) this.firstWrite[cell] = operation;
      this.lastWrite[cell] = operation;
      this.lastRead[cell] = -1;
    });
  }

  /** Pairs of operations on a cell of scratch: its first write in a bulk, and each last access to it in the bulk that used the same copy before. */
  *reusePairs(): Iterable<readonly [first: number, last: number]> {
    const told = new Set<string>();
    for (let cell = this.start[2]; cell < this.firstWrite.length; cell++) {
      const first = this.firstWrite[cell];
      if (first < 0) continue;
      for (const last of this.lastAccesses(cell)) {
        const name = `${first} ${last}`;
        if (!told.has(name)) yield [first, last];
        told.add(name);
      }
    }
  }

  /** The reads since the last write or, if there are none, that write: an operation that waits for these comes after all accesses so far. */
  private *lastAccesses(cell: number): Iterable<number> {
    if (this.lastRead[cell] < 0 && this.lastWrite[cell] >= 0) yield this.lastWrite[cell];
    for (let read = this.lastRead[cell]; read >= 0; read = this.previousRead.at(read)) yield this.reader.at(read);
  }

  private forSource(operation: number, visit: (cell: number) => void): void {
    const { srcBuffer, srcOffset, srcCount } = this.plan.ops;
    if (srcBuffer[operation] < 0) return;
    const first = this.start[srcBuffer[operation]] + srcOffset[operation];
    for (let cell = first; cell < first + srcCount[operation]; cell++) visit(cell);
  }

  private forTarget(operation: number, visit: (cell: number) => void): void {
    const { dstBuffer, dstOffset, dstCount } = this.plan.ops;
    if (dstBuffer[operation] < 0) return;
    const first = this.start[dstBuffer[operation]] + dstOffset[operation];
    for (let cell = first; cell < first + dstCount[operation]; cell++) visit(cell);
  }
}

/** The plan with its waits replaced by these. */
function withWaits(plan: Plan, waits: readonly Wait[]): Plan {
  const count = operationCount(plan);
  const firstAfter = new Int32Array(count + 1);
  for (const { operation } of waits) firstAfter[operation + 1]++;
  for (let o = 0; o < count; o++) firstAfter[o + 1] += firstAfter[o];
  const next = firstAfter.slice();
  const afterOp = new Int32Array(waits.length);
  const afterBulks = new Int32Array(waits.length);
  for (const { operation, dependency, bulks } of waits) {
    const at = next[operation]++;
    afterOp[at] = dependency;
    afterBulks[at] = bulks;
  }
  return { ...plan, ops: { ...plan.ops, firstAfter, afterOp, afterBulks } };
}
