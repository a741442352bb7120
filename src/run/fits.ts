/**
 * Checks that all elements of the result arrive. If sizes do not divide evenly, chunks differ by one element, and a proof that counts in chunks does
 * not notice that a chunk is kept for a while in the slot of a smaller one, which cuts it off. One run without data decides, since what can run does
 * not depend on timing. Plans made by ccc keep such chunks in scratch (src/lower/places.ts).
 */
import { type Collective, expectation, inputChunks, messageChunks, outputChunks } from '../ir/collective.ts';
import { CccError } from '../ir/diagnostic.ts';
import { OperationCode, planBuffers } from '../ir/plan.ts';
import type { ByteLayout } from './layout.ts';
import { type Actions, newCounters, Progress } from './progress.ts';
import type { RunTables } from './tables.ts';

/** A plan that is about to run, and the layout of its elements. */
export interface FitRequest {
  readonly tables: RunTables;
  readonly layout: ByteLayout;
  readonly collective: Collective;
  readonly elementBytes: number;
  readonly inflight: number | undefined;
  readonly staged: Uint8Array;
}

/** @throws CccError 'usage' if an element of the result would be cut off on its route */
export function checkChunksFit(request: FitRequest): void {
  const { tables, inflight, staged } = request;
  const lengths = new Lengths(request);
  const counters = newCounters(tables, (bytes) => new ArrayBuffer(bytes));
  const progress = new Progress(tables, counters, inflight, staged);
  let lanes = Array.from({ length: tables.firstOp.length - 1 }, (_, lane) => lane);
  for (let moved = true; moved; ) {
    moved = false;
    for (const lane of lanes) if (progress.advance(lane, lengths)) moved = true;
    lanes = lanes.filter((lane) => !progress.isFinished(lane));
  }
  lengths.checkOutputs();
}

const [inputCode, outputCode] = planBuffers.map((_, code) => code);

/** Tracks how many elements of its chunk each slot holds, and how many each staged message holds. */
class Lengths implements Actions {
  private readonly request: FitRequest;
  /** By the address of a slot: the elements that it holds. Slots without elements are left out. */
  private readonly held = new Map<number, number>();
  private readonly messages = new Map<number, readonly number[]>();

  constructor(request: FitRequest) {
    this.request = request;
    const { collective, layout, tables } = request;
    for (let rank = 0; rank < collective.ranks; rank++) {
      for (let bulk = 0; bulk < tables.bulks; bulk++) {
        for (let slot = 0; slot < inputChunks(collective, rank); slot++) {
          layout.find(rank, inputCode, slot, bulk);
          if (layout.length > 0) this.held.set(layout.address, layout.length);
        }
      }
    }
  }

  copy(operation: number, bulk: number): void {
    this.put(operation, bulk, this.taken(operation, bulk));
  }

  reduce(operation: number, bulk: number): void {
    this.put(operation, bulk, this.taken(operation, bulk));
  }

  send(operation: number, bulk: number): void {
    if (this.request.staged[operation] === 1)
      this.messages.set(this.instance(operation, bulk), this.taken(operation, bulk));
  }

  receive(operation: number, bulk: number, send: number): void {
    this.put(operation, bulk, this.messages.get(this.instance(send, bulk)) ?? this.taken(send, bulk));
  }

  moved(): void {}

  /** @throws CccError 'usage' if a slot of the output does not hold all of its elements */
  checkOutputs(): void {
    const { collective, layout, tables } = this.request;
    for (let rank = 0; rank < collective.ranks; rank++) {
      for (let slot = 0; slot < outputChunks(collective, rank); slot++) {
        if (expectation(collective, rank, slot).kind === 'undefined') continue;
        for (let bulk = 0; bulk < tables.bulks; bulk++) {
          layout.find(rank, outputCode, slot, bulk);
          const left = this.found();
          if (left < layout.length)
            throw this.cutOff(`${left} of ${layout.length} elements of output[${slot}] of rank ${rank}`);
        }
      }
    }
  }

  private instance(operation: number, bulk: number): number {
    return bulk * this.request.tables.kind.length + operation;
  }

  /** Elements held by the slot that `layout.find` has located. */
  private found(): number {
    const { layout } = this.request;
    return layout.length === 0 ? 0 : (this.held.get(layout.address) ?? 0);
  }

  /** The number of elements in each slot that an operation reads. */
  private taken(operation: number, bulk: number): readonly number[] {
    const { layout, tables } = this.request;
    const { rankOf, srcBuffer, srcOffset, srcCount } = tables;
    return Array.from({ length: srcCount[operation] }, (_, i) => {
      layout.find(rankOf[operation], srcBuffer[operation], srcOffset[operation] + i, bulk);
      return this.found();
    });
  }

  private put(operation: number, bulk: number, lengths: readonly number[]): void {
    const { layout, tables } = this.request;
    const { kind, rankOf, dstBuffer, dstOffset } = tables;
    const reduces = kind[operation] === OperationCode.reduce || kind[operation] === OperationCode.recvReduce;
    lengths.forEach((length, i) => {
      layout.find(rankOf[operation], dstBuffer[operation], dstOffset[operation] + i, bulk);
      if (layout.length === 0) return;
      const room = reduces ? this.found() : layout.length;
      this.held.set(layout.address, Math.min(room, length));
    });
  }

  private cutOff(what: string): CccError {
    const { collective, elementBytes, tables } = this.request;
    const parts = tables.bulks * elementBytes;
    const remedy =
      collective.counts === undefined
        ? `take a size that is a multiple of ${messageChunks(collective) * parts} bytes`
        : `take shards that are multiples of ${collective.chunks * parts} bytes`;
    return new CccError(
      'usage',
      `this plan keeps chunks where smaller ones belong, so that at this size only ${what} would be right: ${remedy}`,
    );
  }
}
