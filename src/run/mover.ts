/** Moves the data of operations, slot by slot; slots that are adjacent in memory are moved together. */
import { OperationCode } from '../ir/plan.ts';
import type { OperandOrder } from '../ir/schedule.ts';
import type { Kernel } from './kernels/kernel.ts';
import type { ByteLayout } from './layout.ts';
import type { Actions } from './progress.ts';
import type { RunTables } from './tables.ts';

/** One end of a move: slots of a rank's buffer, or a staged message. */
type End = { readonly rank: number; readonly buffer: number; readonly offset: number } | { readonly stagedBy: number };

type Combination = 'copy' | OperandOrder;

export class Mover implements Actions {
  private readonly tables: RunTables;
  private readonly layout: ByteLayout;
  private readonly kernel: Kernel;
  private readonly staged: Uint8Array;
  private readonly elementBytes: number;
  private readonly onMoved: () => void;

  constructor(parts: {
    readonly tables: RunTables;
    readonly layout: ByteLayout;
    readonly kernel: Kernel;
    readonly staged: Uint8Array;
    readonly elementBytes: number;
    readonly onMoved: () => void;
  }) {
    this.tables = parts.tables;
    this.layout = parts.layout;
    this.kernel = parts.kernel;
    this.staged = parts.staged;
    this.elementBytes = parts.elementBytes;
    this.onMoved = parts.onMoved;
  }

  copy(operation: number, bulk: number): void {
    this.move(this.destination(operation), this.source(operation), this.count(operation), bulk, 'copy');
  }

  reduce(operation: number, bulk: number): void {
    const order = this.order(operation);
    this.move(this.destination(operation), this.source(operation), this.count(operation), bulk, order);
  }

  send(operation: number, bulk: number): void {
    if (this.staged[operation] === 0) return;
    const { srcCount } = this.tables;
    this.move({ stagedBy: operation }, this.source(operation), srcCount[operation], bulk, 'copy');
  }

  receive(operation: number, bulk: number, send: number): void {
    const source: End = this.staged[send] === 1 ? { stagedBy: send } : this.source(send);
    this.move(this.destination(operation), source, this.count(operation), bulk, this.combination(operation));
  }

  moved(): void {
    this.onMoved();
  }

  private count(operation: number): number {
    return this.tables.dstCount[operation];
  }

  private source(operation: number): End {
    const { rankOf, srcBuffer, srcOffset } = this.tables;
    return { rank: rankOf[operation], buffer: srcBuffer[operation], offset: srcOffset[operation] };
  }

  private destination(operation: number): End {
    const { rankOf, dstBuffer, dstOffset } = this.tables;
    return { rank: rankOf[operation], buffer: dstBuffer[operation], offset: dstOffset[operation] };
  }

  private order(operation: number): OperandOrder {
    return this.tables.receivedFirst[operation] === 1 ? 'received-first' : 'held-first';
  }

  private combination(operation: number): Combination {
    return this.tables.kind[operation] === OperationCode.recvReduce ? this.order(operation) : 'copy';
  }

  /**
   * Moves slots. Every slot of scratch has room for the largest chunk, so that the shorter of the two slots determines how many elements are moved.
   */
  private move(to: End, from: End, count: number, bulk: number, combination: Combination): void {
    const { layout, elementBytes } = this;
    let [target, source, bytes] = [0, 0, 0];
    for (let i = 0; i < count; i++) {
      find(layout, from, i, bulk);
      const { address: nextSource, length: available } = layout;
      find(layout, to, i, bulk);
      const nextTarget = layout.address;
      const next = Math.min(available, layout.length) * elementBytes;
      if (nextSource === source + bytes && nextTarget === target + bytes) {
        bytes += next;
        continue;
      }
      if (bytes > 0) this.combine(target, source, bytes, combination);
      [target, source, bytes] = [nextTarget, nextSource, next];
    }
    if (bytes > 0) this.combine(target, source, bytes, combination);
  }

  private combine(target: number, source: number, bytes: number, combination: Combination): void {
    const { kernel } = this;
    if (combination === 'copy') kernel.copy(target, source, bytes);
    else if (combination === 'held-first') kernel.reduce(target, target, source, bytes);
    else kernel.reduce(target, source, target, bytes);
  }
}

function find(layout: ByteLayout, end: End, index: number, bulk: number): void {
  if ('stagedBy' in end) layout.findStaged(end.stagedBy, index);
  else layout.find(end.rank, end.buffer, end.offset + index, bulk);
}
