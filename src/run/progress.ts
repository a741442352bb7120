/**
 * Decides which operation may run, from counters that all threads see, by the rules of docs/plan-format.md. Each counter has one writer, the thread
 * of the lane, of the sender or of the receiver, so that plain atomic stores suffice.
 */
import { OperationCode } from '../ir/plan.ts';
import type { RunTables } from './tables.ts';

/** The counters of one run, all 0 at its start. They are in shared memory if several threads run it. */
export interface RunCounters {
  /** Operations that each lane has completed, over all bulks. */
  readonly completed: Int32Array;
  /** By connection: the messages that have been sent, and those that have been received. */
  readonly sent: Int32Array;
  readonly delivered: Int32Array;
}

/** Allocates the counters. */
export function newCounters(tables: RunTables, allocate: (bytes: number) => ArrayBufferLike): RunCounters {
  const counters = (count: number): Int32Array => new Int32Array(allocate(4 * count));
  return {
    completed: counters(tables.firstOp.length - 1),
    sent: counters(tables.messages.length),
    delivered: counters(tables.messages.length),
  };
}

/** Called when operations run. */
export interface Actions {
  copy(operation: number, bulk: number): void;
  reduce(operation: number, bulk: number): void;
  /** Publishes a message: from now on the receiver may read it from its source. */
  send(operation: number, bulk: number): void;
  /** Receives the message of the operation `send`. */
  receive(operation: number, bulk: number, send: number): void;
  /** Called after counters have changed, so that other lanes may continue. */
  moved(): void;
}

/** Why an operation cannot run yet. `unread`: it would overwrite a message that has not been received. */
export type Obstacle = 'none' | 'after' | 'message' | 'room' | 'unread';

export class Progress {
  /** The operation for which the last operation passed to `obstacle` waits. */
  waitedFor = -1;

  private readonly tables: RunTables;
  private readonly counters: RunCounters;
  /** Messages that a connection buffers; undefined for any number. */
  private readonly inflight: number | undefined;
  /** By operation: 1 for sends that copy their message, so that the source may be overwritten at once. */
  private readonly staged: Uint8Array;

  constructor(tables: RunTables, counters: RunCounters, inflight: number | undefined, staged: Uint8Array) {
    this.tables = tables;
    this.counters = counters;
    this.inflight = inflight;
    this.staged = staged;
  }

  /** Runs a lane as far as possible. Returns whether it ran anything. */
  advance(lane: number, actions: Actions): boolean {
    const { firstOp } = this.tables;
    const { completed } = this.counters;
    const length = firstOp[lane + 1] - firstOp[lane];
    let at = completed[lane];
    const start = at;
    let isPublished = false;
    while (!this.isFinished(lane)) {
      const bulk = Math.floor(at / length);
      const operation = firstOp[lane] + at - bulk * length;
      if (this.isRendezvous(operation)) {
        isPublished = this.publish(operation, bulk, actions) || isPublished;
        if (!this.isDelivered(operation, bulk)) break;
      } else {
        if (this.obstacle(operation, bulk) !== 'none') break;
        this.perform(operation, bulk, actions);
      }
      at++;
      Atomics.store(completed, lane, at);
      actions.moved();
    }
    return at > start || isPublished;
  }

  isFinished(lane: number): boolean {
    const { firstOp, bulks } = this.tables;
    return this.counters.completed[lane] === (firstOp[lane + 1] - firstOp[lane]) * bulks;
  }

  /** The next operation of a lane that has not finished, and its bulk. */
  head(lane: number): { readonly operation: number; readonly bulk: number } {
    const { firstOp } = this.tables;
    const at = Atomics.load(this.counters.completed, lane);
    const length = firstOp[lane + 1] - firstOp[lane];
    return { operation: firstOp[lane] + (at % length), bulk: Math.floor(at / length) };
  }

  /** Why an operation cannot run, or `none`. Stores the operation that it waits for in `waitedFor`. */
  obstacle(operation: number, bulk: number): Obstacle {
    const { kind, firstAfter, afterOp, afterBulks, firstGuard, guardSend, guardLag, partner } = this.tables;
    for (let a = firstAfter[operation]; a < firstAfter[operation + 1]; a++) {
      this.waitedFor = afterOp[a];
      if (!this.isComplete(afterOp[a], bulk - afterBulks[a])) return 'after';
    }
    for (let g = firstGuard[operation]; g < firstGuard[operation + 1]; g++) {
      this.waitedFor = guardSend[g];
      if (this.isUnread(guardSend[g], bulk - guardLag[g])) return 'unread';
    }
    if (kind[operation] < OperationCode.send) return 'none';
    if (kind[operation] === OperationCode.send) return this.hasRoom(operation, bulk) ? 'none' : 'room';
    this.waitedFor = partner[operation];
    return this.isSent(partner[operation], bulk) ? 'none' : 'message';
  }

  private perform(operation: number, bulk: number, actions: Actions): void {
    const { kind, connection, partner } = this.tables;
    const { sent, delivered } = this.counters;
    switch (kind[operation]) {
      case OperationCode.copy:
        actions.copy(operation, bulk);
        break;
      case OperationCode.reduce:
        actions.reduce(operation, bulk);
        break;
      case OperationCode.send:
        actions.send(operation, bulk);
        Atomics.store(sent, connection[operation], this.message(operation, bulk) + 1);
        break;
      default:
        actions.receive(operation, bulk, partner[operation]);
        Atomics.store(delivered, connection[operation], this.message(operation, bulk) + 1);
    }
  }

  /** Whether a send completes only when its message is received, not when it is published, because nothing is buffered. */
  private isRendezvous(operation: number): boolean {
    return this.inflight === 0 && this.tables.kind[operation] === OperationCode.send;
  }

  /** Publishes the message of a send if it has not been published and its connection has room. Returns whether it did. */
  private publish(operation: number, bulk: number, actions: Actions): boolean {
    if (this.isSent(operation, bulk) || this.obstacle(operation, bulk) !== 'none') return false;
    this.perform(operation, bulk, actions);
    actions.moved();
    return true;
  }

  /** The number of the message of a send or receive in its connection, over all bulks. */
  private message(operation: number, bulk: number): number {
    const { messages, connection, ordinal } = this.tables;
    return bulk * messages[connection[operation]] + ordinal[operation];
  }

  private isComplete(operation: number, bulk: number): boolean {
    if (bulk < 0) return true;
    const { firstOp, laneOf } = this.tables;
    const lane = laneOf[operation];
    const length = firstOp[lane + 1] - firstOp[lane];
    return Atomics.load(this.counters.completed, lane) > bulk * length + operation - firstOp[lane];
  }

  private isSent(send: number, bulk: number): boolean {
    return Atomics.load(this.counters.sent, this.tables.connection[send]) > this.message(send, bulk);
  }

  private isDelivered(send: number, bulk: number): boolean {
    return Atomics.load(this.counters.delivered, this.tables.connection[send]) > this.message(send, bulk);
  }

  /** Whether a message has been sent but neither received nor staged. */
  private isUnread(send: number, bulk: number): boolean {
    return bulk >= 0 && this.staged[send] === 0 && this.isSent(send, bulk) && !this.isDelivered(send, bulk);
  }

  /** Whether a message can be buffered. A staged message also needs its own memory, which the same message of the previous bulk may still occupy. */
  private hasRoom(send: number, bulk: number): boolean {
    if (this.staged[send] === 1 && bulk > 0 && !this.isDelivered(send, bulk - 1)) return false;
    if (this.inflight === undefined || this.inflight === 0) return true;
    const before = this.message(send, bulk) - this.inflight;
    return Atomics.load(this.counters.delivered, this.tables.connection[send]) > before;
  }
}
