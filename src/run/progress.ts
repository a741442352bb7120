/**
 * Which operation may run when: counters that all threads see, and the rules of docs/plan-format.md over them. Each counter has one writer – the
 * thread of the lane, of the sender, of the receiver – so that plain atomic stores do.
 */
import { OperationCode } from '../ir/plan.ts';
import type { RunTables } from './tables.ts';

/** Counters of one run, all 0 at its start. Shared memory where several threads run it. */
export interface RunCounters {
  /** Operations that each lane has completed, over all bulks. */
  readonly completed: Int32Array;
  /** Messages that each connection has been given, and that its receiver has taken. */
  readonly sent: Int32Array;
  readonly delivered: Int32Array;
}

/** Counters in memory of their own. */
export function newCounters(tables: RunTables, allocate: (bytes: number) => ArrayBufferLike): RunCounters {
  const counters = (count: number): Int32Array => new Int32Array(allocate(4 * count));
  return {
    completed: counters(tables.firstOp.length - 1),
    sent: counters(tables.messages.length),
    delivered: counters(tables.messages.length),
  };
}

/** What happens when an operation runs. */
export interface Actions {
  copy(operation: number, bulk: number): void;
  reduce(operation: number, bulk: number): void;
  /** The message may be read from its source from now on. */
  send(operation: number, bulk: number): void;
  /** Takes the message of `send`. */
  receive(operation: number, bulk: number, send: number): void;
  /** The counters have moved: others may go on. */
  moved(): void;
}

/** Why an operation cannot run yet; `unread`: it would overwrite a message that nobody has taken. */
export type Obstacle = 'none' | 'after' | 'message' | 'room' | 'unread';

export class Progress {
  /** The operation that the one `obstacle` was last asked about waits for. */
  waitedFor = -1;

  private readonly tables: RunTables;
  private readonly counters: RunCounters;
  /** Transfers that a connection buffers; undefined for any number. */
  private readonly inflight: number | undefined;
  /** Sends that are copied when they are sent, so that their source may be overwritten at once. */
  private readonly staged: Uint8Array;

  constructor(tables: RunTables, counters: RunCounters, inflight: number | undefined, staged: Uint8Array) {
    this.tables = tables;
    this.counters = counters;
    this.inflight = inflight;
    this.staged = staged;
  }

  /** Runs a lane as far as it goes; true if that was anywhere. */
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

  /** The operation that a lane stands at, and in which bulk. The lane must not be finished. */
  head(lane: number): { readonly operation: number; readonly bulk: number } {
    const { firstOp } = this.tables;
    const at = Atomics.load(this.counters.completed, lane);
    const length = firstOp[lane + 1] - firstOp[lane];
    return { operation: firstOp[lane] + (at % length), bulk: Math.floor(at / length) };
  }

  /** What keeps an operation from running, if anything does; which operation that is stands in `waitedFor`. */
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

  /** A send without buffers is complete when its message is taken, not when it is published. */
  private isRendezvous(operation: number): boolean {
    return this.inflight === 0 && this.tables.kind[operation] === OperationCode.send;
  }

  /** Publishes a message if it is not yet and may be; true if it was. */
  private publish(operation: number, bulk: number, actions: Actions): boolean {
    if (this.isSent(operation, bulk) || this.obstacle(operation, bulk) !== 'none') return false;
    this.perform(operation, bulk, actions);
    actions.moved();
    return true;
  }

  /** Which message of its connection a send or receive is, over all bulks. */
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

  /** Sent, not taken yet, and not copied anywhere. */
  private isUnread(send: number, bulk: number): boolean {
    return bulk >= 0 && this.staged[send] === 0 && this.isSent(send, bulk) && !this.isDelivered(send, bulk);
  }

  /** A staged message also needs its own room, which its predecessor of the bulk before may still take up. */
  private hasRoom(send: number, bulk: number): boolean {
    if (this.staged[send] === 1 && bulk > 0 && !this.isDelivered(send, bulk - 1)) return false;
    if (this.inflight === undefined || this.inflight === 0) return true;
    const before = this.message(send, bulk) - this.inflight;
    return Atomics.load(this.counters.delivered, this.tables.connection[send]) > before;
  }
}
