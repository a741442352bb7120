/** The program of one rank under construction: operations in an order in which they could run, with their waits. */
import { IntRows } from '../ir/column.ts';
import type { SourceRange } from '../ir/diagnostic.ts';
import { OperationCode, type PlanBuilder } from '../ir/plan.ts';
import { localLane } from './lanes.ts';
import type { Homes } from './memory/homes.ts';
import { Accesses } from './order/accesses.ts';
import { BulkOrder } from './order/bulk-order.ts';
import { LocalOrder } from './order/local-order.ts';

/** An operation on memory cells; counts are 0 if nothing is read or written. */
export interface CellOperation {
  /** An `OperationCode`. */
  readonly kind: number;
  readonly lane: number;
  readonly step: number;
  readonly firstRead: number;
  readonly readCount: number;
  readonly firstWritten: number;
  readonly writtenCount: number;
  readonly receivedFirst: boolean;
  readonly peer: number;
  readonly channel: number;
  readonly origin: SourceRange | undefined;
  /** Set on a copy that represents computation: its duration. */
  readonly nanoseconds?: number | undefined;
}

/** Columns of the row in which an operation is stored. */
const Field = {
  kind: 0,
  lane: 1,
  step: 2,
  firstRead: 3,
  readCount: 4,
  firstWritten: 5,
  writtenCount: 6,
  receivedFirst: 7,
  peer: 8,
  channel: 9,
} as const;
const fields = Object.keys(Field).length;

export class RankProgram {
  private readonly order = new LocalOrder(0);
  private readonly accesses = new Accesses(this.order);
  private readonly operations = new IntRows(fields);
  private origins: (SourceRange | undefined)[] = [];
  private readonly computing = new Map<number, number>();
  /** Waits: the operation that waits, the one it waits for, and how many bulks earlier that one is. */
  private readonly waits = new IntRows(3);
  private readonly sendsWait: boolean;
  /** By lane, its last operation that receives or reduces; recorded only if sends wait for all of these. */
  private readonly lastTaken = new Map<number, number>();

  /** @param sendsWait whether each send waits for all earlier operations that receive or reduce */
  constructor(sendsWait: boolean) {
    this.sendsWait = sendsWait;
  }

  /** Starts the program of another rank. @param lanes number of its lanes, the local one included */
  start(lanes: number): void {
    this.order.start(lanes);
    this.accesses.start();
    this.operations.clear();
    this.origins = [];
    this.computing.clear();
    this.waits.clear();
    this.lastTaken.clear();
  }

  /**
   * Appends an operation to its lane, with waits for the operations that wrote what it reads and for those that wrote or read what it overwrites.
   * Among these are sends, so that the plan is safe on runtimes that own a buffer until the send is complete.
   */
  add(operation: CellOperation): void {
    const { kind, lane, step, firstRead, readCount, firstWritten, writtenCount } = operation;
    const { order, accesses } = this;
    const number = this.operations.length;
    const reduces = kind === OperationCode.reduce || kind === OperationCode.recvReduce;
    accesses.askRead(firstRead, readCount);
    accesses.askWrite(firstWritten, writtenCount, step, reduces);
    if (this.sendsWait) {
      if (kind === OperationCode.send) for (const taken of this.lastTaken.values()) order.ask(taken);
      else if (kind !== OperationCode.copy) this.lastTaken.set(lane, number);
    }
    const kept = order.place(lane);
    for (let w = 0; w < kept; w++) this.wait(number, order.waitedFor(w), 0);
    accesses.noteRead(number, firstRead, readCount);
    accesses.noteWrite(number, firstWritten, writtenCount, step, reduces);
    this.append(operation);
  }

  private append(operation: CellOperation): void {
    if (operation.nanoseconds !== undefined) this.computing.set(this.operations.length, operation.nanoseconds);
    const row = this.operations.add();
    const { cells } = this.operations;
    cells[row + Field.kind] = operation.kind;
    cells[row + Field.lane] = operation.lane;
    cells[row + Field.step] = operation.step;
    cells[row + Field.firstRead] = operation.firstRead;
    cells[row + Field.readCount] = operation.readCount;
    cells[row + Field.firstWritten] = operation.firstWritten;
    cells[row + Field.writtenCount] = operation.writtenCount;
    cells[row + Field.receivedFirst] = operation.receivedFirst ? 1 : 0;
    cells[row + Field.peer] = operation.peer;
    cells[row + Field.channel] = operation.channel;
    this.origins.push(operation.origin);
  }

  private wait(operation: number, dependency: number, bulks: number): void {
    const row = this.waits.add();
    const { cells } = this.waits;
    cells[row] = operation;
    cells[row + 1] = dependency;
    cells[row + 2] = bulks;
  }

  /**
   * Makes the first accesses of each bulk to a cell of scratch wait for the last ones of the bulk that used the same copy before.
   * @param firstCell the first cell of scratch
   * @param copies the number of copies of scratch: so many bulks earlier that bulk is
   */
  waitForReuse(firstCell: number, copies: number): void {
    const none: readonly number[] = [];
    const wanted: number[][] = this.origins.map(() => []);
    for (const [first, last] of this.accesses.reusePairs(firstCell)) wanted[first].push(last);
    if (wanted.every((lasts) => lasts.length === 0)) return;
    const waits: number[][] = this.origins.map(() => []);
    for (let row = 0; row < 3 * this.waits.length; row += 3)
      waits[this.waits.cells[row]].push(this.waits.cells[row + 1]);
    let nearer: BulkOrder | undefined;
    for (let bulks = 1; bulks < copies; bulks++) {
      const order = new BulkOrder(this.order, nearer);
      for (const own of waits) order.place(own, none);
      nearer = order;
    }
    const order = new BulkOrder(this.order, nearer);
    wanted.forEach((lasts, operation) => {
      for (const dependency of order.place(waits[operation], lasts)) this.wait(operation, dependency, copies);
    });
  }

  /**
   * Appends the program to a plan: the local lane first, if it is used, then the others in order of first use.
   * @param grain chunks per cell
   */
  flush(rank: number, builder: PlanBuilder, homes: Homes, grain: number): void {
    const { order, lanes } = this.byLane();
    const { cells } = this.operations;
    const handles = new Int32Array(this.order.lanes);
    lanes.forEach((lane, id) => {
      handles[lane] = builder.openLane(rank, id);
    });
    const base = builder.operationCount;
    const placeOf = new Int32Array(order.length);
    for (let place = 0; place < order.length; place++) {
      placeOf[order[place]] = base + place;
      const row = order[place] * fields;
      const firstRead = cells[row + Field.firstRead];
      const readCount = cells[row + Field.readCount];
      const firstWritten = cells[row + Field.firstWritten];
      const writtenCount = cells[row + Field.writtenCount];
      const source = readCount === 0 ? -1 : homes.bufferAt(firstRead, readCount);
      const target = writtenCount === 0 ? -1 : homes.bufferAt(firstWritten, writtenCount);
      builder.addRow(handles[cells[row + Field.lane]], {
        kind: cells[row + Field.kind],
        peer: cells[row + Field.peer],
        channel: cells[row + Field.channel],
        srcBuffer: source,
        srcOffset: source === -1 ? 0 : homes.offsetIn(source, firstRead) * grain,
        srcCount: readCount * grain,
        dstBuffer: target,
        dstOffset: target === -1 ? 0 : homes.offsetIn(target, firstWritten) * grain,
        dstCount: writtenCount * grain,
        receivedFirst: cells[row + Field.receivedFirst],
        step: cells[row + Field.step],
        origin: this.origins[order[place]],
        nanoseconds: this.computing.get(order[place]),
      });
    }
    const { cells: waits } = this.waits;
    for (let row = 0; row < 3 * this.waits.length; row += 3) {
      builder.wait(placeOf[waits[row]], placeOf[waits[row + 1]], waits[row + 2]);
    }
  }

  /** The operations sorted by lane, and the lanes in the order in which the plan has them. */
  private byLane(): { readonly lanes: readonly number[]; readonly order: Int32Array } {
    const { cells, length: operations } = this.operations;
    const laneOf = (operation: number): number => cells[operation * fields + Field.lane];
    const length = new Int32Array(this.order.lanes);
    const used: number[] = [];
    for (let o = 0; o < operations; o++) if (length[laneOf(o)]++ === 0 && laneOf(o) !== localLane) used.push(laneOf(o));
    const lanes = length[localLane] > 0 ? [localLane, ...used] : used;
    const next = new Int32Array(this.order.lanes);
    let start = 0;
    for (const lane of lanes) {
      next[lane] = start;
      start += length[lane];
    }
    const order = new Int32Array(operations);
    for (let o = 0; o < operations; o++) order[next[laneOf(o)]++] = o;
    return { lanes, order };
  }
}
