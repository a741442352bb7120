/** One rank's program while it is being made: operations in an order in which they could run, each with what it waits for. */
import type { SourceRange } from '../ir/diagnostic.ts';
import type { OperationKind, PlanBuilder, Slice } from '../ir/plan.ts';
import type { OperandOrder } from '../ir/schedule.ts';
import { Accesses } from './accesses.ts';
import { BulkOrder } from './bulk-order.ts';
import { localLane } from './lanes.ts';
import { LocalOrder } from './local-order.ts';
import type { Run } from './runs.ts';

/** An operation on memory cells. */
export interface CellOperation {
  readonly kind: OperationKind;
  readonly lane: number;
  readonly step: number;
  readonly reads: Run | undefined;
  readonly writes: Run | undefined;
  readonly order: OperandOrder;
  readonly peer: number;
  readonly channel: number;
  readonly origin: SourceRange | undefined;
}

/** An operation waiting for another of the same program, some bulks earlier. */
interface Wait {
  readonly operation: number;
  readonly dependency: number;
  readonly bulks: number;
}

export class Program {
  private readonly order: LocalOrder;
  private readonly accesses: Accesses;
  private readonly lanes: number;
  private readonly operations: CellOperation[] = [];
  private readonly waits: Wait[] = [];
  /** By lane its last operation that receives or reduces. */
  private readonly lastTaken = new Map<number, number>();
  private readonly inStep: boolean;

  /**
   * @param lanes number of lanes, the local one included
   * @param inStep sends wait for all operations before them that receive or reduce
   */
  constructor(lanes: number, inStep: boolean) {
    this.lanes = lanes;
    this.inStep = inStep;
    this.order = new LocalOrder(lanes);
    this.accesses = new Accesses(this.order);
  }

  /**
   * Appends an operation to its lane. It waits for whoever wrote what it reads, and before it writes for whoever wrote or
   * read there: also for sends, so that a runtime that owns a buffer until the send is complete is safe.
   */
  add(operation: CellOperation): void {
    const { reads, writes, step } = operation;
    const reduces = operation.kind === 'reduce' || operation.kind === 'recvReduce';
    if (reads !== undefined) this.accesses.askRead(reads.first, reads.count);
    if (writes !== undefined) this.accesses.askWrite(writes.first, writes.count, step, reduces);
    if (this.inStep && operation.kind === 'send') for (const taken of this.lastTaken.values()) this.order.ask(taken);
    const number = this.operations.length;
    for (const dependency of this.order.place(operation.lane)) {
      this.waits.push({ operation: number, dependency, bulks: 0 });
    }
    if (reads !== undefined) this.accesses.noteRead(number, reads.first, reads.count);
    if (writes !== undefined) this.accesses.noteWrite(number, writes.first, writes.count, step, reduces);
    if (reduces || operation.kind === 'recv') this.lastTaken.set(operation.lane, number);
    this.operations.push(operation);
  }

  /**
   * Makes the first accesses to scratch of each bulk wait for the last ones of the bulk that used the same cells.
   * @param firstCell the first cell of scratch
   * @param copies of scratch: how many bulks earlier that was
   */
  waitForReuse(firstCell: number, copies: number): void {
    const none: readonly number[] = [];
    const wanted: number[][] = this.operations.map(() => []);
    for (const [first, last] of this.accesses.reusePairs(firstCell)) wanted[first].push(last);
    if (wanted.every((lasts) => lasts.length === 0)) return;
    const waits: number[][] = this.operations.map(() => []);
    for (const { operation, dependency } of this.waits) waits[operation].push(dependency);
    let nearer: BulkOrder | undefined;
    for (let bulks = 1; bulks < copies; bulks++) {
      const order = new BulkOrder(this.order, nearer);
      for (const own of waits) order.place(own, none);
      nearer = order;
    }
    const order = new BulkOrder(this.order, nearer);
    wanted.forEach((lasts, operation) => {
      for (const dependency of order.place(waits[operation], lasts)) {
        this.waits.push({ operation, dependency, bulks: copies });
      }
    });
  }

  /** Writes the program into a plan: lanes in order of first use, the local one first if there is one. */
  flush(rank: number, builder: PlanBuilder, slice: (first: number, count: number) => Slice): void {
    const used = new Set(this.operations.map((operation) => operation.lane));
    const hasLocal = used.delete(localLane);
    const handles = new Int32Array(this.lanes);
    [...(hasLocal ? [localLane] : []), ...used].forEach((lane, id) => {
      handles[lane] = builder.openLane(rank, id);
    });
    const base = builder.operationCount;
    for (const { kind, lane, step, reads, writes, order, peer, channel, origin } of this.operations) {
      builder.add(handles[lane], {
        kind,
        step,
        order,
        peer,
        channel,
        origin,
        ...(reads === undefined ? {} : { src: slice(reads.first, reads.count) }),
        ...(writes === undefined ? {} : { dst: slice(writes.first, writes.count) }),
      });
    }
    for (const { operation, dependency, bulks } of this.waits) builder.wait(base + operation, base + dependency, bulks);
  }
}
