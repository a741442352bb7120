/**
 * The index of a plan: what its tables imply and every analysis needs. For each operation the rank and the lane that run it, and
 * for each send and receive the connection, the position on it, and the operations at the other end of its message.
 */

import { byGroup } from './column.ts';
import { intAt, itemAt } from './indexing.ts';
import { OperationCode, type Plan } from './plan.ts';

/** Indexes by plan, for as long as the plan is reachable. */
const indexes = new WeakMap<Plan, PlanIndex>();

/**
 * Index of one plan. Each part is computed when it is first read, in time linear in the operations, and is then kept.
 *
 * The index does not notice later writes to the tables of the plan. Code that judges plans which others may have altered creates an
 * index of its own with `new`; all other code shares one through `PlanIndex.of`.
 *
 * @example
 * const { rankOf, connections } = PlanIndex.of(plan);
 * const sender = rankOf[connections.partner[receive]];
 */
export class PlanIndex {
  readonly plan: Plan;
  private lanes: Int32Array | undefined;
  private ranks: Int32Array | undefined;
  private numbered: NumberedConnections | undefined;
  private matched: Connections | undefined;

  constructor(plan: Plan) {
    this.plan = plan;
  }

  /** The shared index of a plan whose tables nobody changes any more. */
  static of(plan: Plan): PlanIndex {
    let index = indexes.get(plan);
    if (index === undefined) {
      index = new PlanIndex(plan);
      indexes.set(plan, index);
    }
    return index;
  }

  /** The lane of each operation, as a row of the plan's lane table. */
  get laneOf(): Int32Array {
    this.lanes ??= lanesOfOperations(this.plan);
    return this.lanes;
  }

  /** The rank that runs each operation. */
  get rankOf(): Int32Array {
    this.ranks ??= ranksOfOperations(this.plan);
    return this.ranks;
  }

  /** The messages of the plan, matched. */
  get connections(): Connections {
    this.matched ??= new Connections(this.plan.ops.kind, this.numbering.of, this.ends.sender.length);
    return this.matched;
  }

  /** The ranks and the channel of each connection. */
  get ends(): ConnectionEnds {
    return this.numbering.ends;
  }

  private get numbering(): NumberedConnections {
    this.numbered ??= numberConnections(this.plan);
    return this.numbered;
  }
}

/** Sender, receiver and channel by connection. */
export interface ConnectionEnds {
  readonly sender: Int32Array;
  readonly receiver: Int32Array;
  readonly channel: Int32Array;
}

/**
 * Sends and receives by connection (sender, receiver, channel), matched in order: the k-th send of a connection meets its k-th
 * receive. Connections are numbered in the order in which their first operations stand in the plan.
 */
export class Connections {
  readonly count: number;
  /** By operation: its connection; −1 for local operations, and for messages of malformed plans whose peer is no rank. */
  readonly of: Int32Array;
  /** The sends of connection c, in order: `sends[firstSend[c] … firstSend[c + 1] − 1]`. */
  readonly sends: Int32Array;
  readonly firstSend: Int32Array;
  /** The receives of connection c, in order: `receives[firstReceive[c] … firstReceive[c + 1] − 1]`. */
  readonly receives: Int32Array;
  readonly firstReceive: Int32Array;
  private ordinals: Int32Array | undefined;
  private partners: Int32Array | undefined;

  /**
   * @param kind the kind of each operation, as in the plan's table
   * @param of the connection of each operation, −1 for local operations
   */
  constructor(kind: Int32Array, of: Int32Array, count: number) {
    this.count = count;
    this.of = of;
    const sending = of.slice();
    const receiving = of.slice();
    separate(kind, sending, receiving);
    const { first: firstSend, rows: sends } = byGroup(sending, count);
    const { first: firstReceive, rows: receives } = byGroup(receiving, count);
    this.sends = sends;
    this.firstSend = firstSend;
    this.receives = receives;
    this.firstReceive = firstReceive;
  }

  /** By operation: how many messages of a bulk precede its message on the connection. */
  get ordinal(): Int32Array {
    if (this.ordinals === undefined) {
      this.ordinals = new Int32Array(this.of.length);
      numberWithin(this.sends, this.firstSend, this.ordinals);
      numberWithin(this.receives, this.firstReceive, this.ordinals);
    }
    return this.ordinals;
  }

  /**
   * By operation: the next one of those that take part in the same message, around a cycle; −1 for local operations and for those
   * whose message has no other end. A message has two ends, so that this is the receive of a send and the send of a receive.
   */
  get partner(): Int32Array {
    this.partners ??= matchEnds(this);
    return this.partners;
  }

  /** Whether each connection has as many sends as receives. */
  get isBalanced(): boolean {
    return this.firstSend.every((first, connection) => first === this.firstReceive[connection]);
  }
}

/** An operation in one of the bulks. */
export interface OperationInstance {
  readonly operation: number;
  readonly bulk: number;
}

/**
 * What the rank of an operation must have completed before the operation begins in a bulk: the previous operation of its lane, which
 * for the first one is the last of the bulk before, and the operations that it waits for. Messages are not among them.
 */
export function* localPredecessors(
  { plan, laneOf }: PlanIndex,
  { operation, bulk }: OperationInstance,
): Iterable<OperationInstance> {
  const { firstOp, ops } = plan;
  const lane = intAt(laneOf, operation);
  if (operation > intAt(firstOp, lane)) yield { operation: operation - 1, bulk };
  else if (bulk > 0) yield { operation: intAt(firstOp, lane + 1) - 1, bulk: bulk - 1 };
  for (let a = intAt(ops.firstAfter, operation); a < intAt(ops.firstAfter, operation + 1); a++) {
    const earlier = bulk - intAt(ops.afterBulks, a);
    if (earlier >= 0) yield { operation: intAt(ops.afterOp, a), bulk: earlier };
  }
}

interface NumberedConnections {
  readonly of: Int32Array;
  readonly ends: ConnectionEnds;
}

/** Assigns numbers to connections, from 0, in the order in which they are first requested. */
class ConnectionNumbers {
  readonly sender: number[] = [];
  readonly receiver: number[] = [];
  readonly channel: number[] = [];
  /** By sender: the numbers of its connections, by channel · ranks + receiver. */
  private readonly known: readonly Map<number, number>[];

  constructor(ranks: number) {
    this.known = Array.from({ length: ranks }, () => new Map());
  }

  /** The number of a connection, −1 if one of its ends is no rank. */
  of(sender: number, receiver: number, channel: number): number {
    if (sender < 0 || sender >= this.known.length || receiver < 0 || receiver >= this.known.length) return -1;
    const ofSender = itemAt(this.known, sender);
    const key = channel * this.known.length + receiver;
    const known = ofSender.get(key);
    if (known !== undefined) return known;
    const number = this.sender.length;
    ofSender.set(key, number);
    this.sender.push(sender);
    this.receiver.push(receiver);
    this.channel.push(channel);
    return number;
  }
}

function numberConnections({ ops, firstLane, firstOp, buffers }: Plan): NumberedConnections {
  const of = new Int32Array(ops.kind.length).fill(-1);
  const numbers = new ConnectionNumbers(buffers.length);
  for (let rank = 0; rank + 1 < firstLane.length; rank++) {
    for (let lane = intAt(firstLane, rank); lane < intAt(firstLane, rank + 1); lane++) {
      numberLane(ops, rank, intAt(firstOp, lane), intAt(firstOp, lane + 1), numbers, of);
    }
  }
  const { sender, receiver, channel } = numbers;
  const ends = {
    sender: Int32Array.from(sender),
    receiver: Int32Array.from(receiver),
    channel: Int32Array.from(channel),
  };
  return { of, ends };
}

/** Numbers the connections of the operations `start … end − 1`, one lane of a rank. */
function numberLane(
  { kind, peer, channel }: Plan['ops'],
  rank: number,
  start: number,
  end: number,
  numbers: ConnectionNumbers,
  of: Int32Array,
): void {
  let previous = -1;
  for (let o = start; o < end; o++) {
    if (intAt(kind, o) < OperationCode.send) continue;
    const sends = kind[o] === OperationCode.send;
    // Most lanes serve one connection, which then is that of the lane's previous message.
    const isSame =
      previous >= 0 &&
      peer[previous] === peer[o] &&
      channel[previous] === channel[o] &&
      (kind[previous] === OperationCode.send) === sends;
    if (isSame) of[o] = intAt(of, previous);
    else
      of[o] = sends
        ? numbers.of(rank, intAt(peer, o), intAt(channel, o))
        : numbers.of(intAt(peer, o), rank, intAt(channel, o));
    previous = o;
  }
}

// The loops below stand in functions of their own: while a long loop runs, V8 compiles its function, and does so again for each
// later line of that function that has not run before.

/** Removes the connections of receives from the first column and those of sends from the second. */
function separate(kind: Int32Array, sending: Int32Array, receiving: Int32Array): void {
  for (let o = 0; o < kind.length; o++) (kind[o] === OperationCode.send ? receiving : sending)[o] = -1;
}

function numberWithin(operations: Int32Array, first: Int32Array, ordinal: Int32Array): void {
  for (let c = 0; c + 1 < first.length; c++) {
    for (let at = intAt(first, c); at < intAt(first, c + 1); at++)
      ordinal[intAt(operations, at)] = at - intAt(first, c);
  }
}

function matchEnds({ of, sends, firstSend, receives, firstReceive }: Connections): Int32Array {
  const partner = new Int32Array(of.length).fill(-1);
  for (let c = 0; c + 1 < firstSend.length; c++) {
    const messages = Math.min(
      intAt(firstSend, c + 1) - intAt(firstSend, c),
      intAt(firstReceive, c + 1) - intAt(firstReceive, c),
    );
    for (let k = 0; k < messages; k++) {
      const send = intAt(sends, intAt(firstSend, c) + k);
      const receive = intAt(receives, intAt(firstReceive, c) + k);
      partner[send] = receive;
      partner[receive] = send;
    }
  }
  return partner;
}

function lanesOfOperations({ firstOp, ops }: Plan): Int32Array {
  const laneOf = new Int32Array(ops.kind.length);
  for (let lane = 0; lane + 1 < firstOp.length; lane++)
    laneOf.fill(lane, intAt(firstOp, lane), intAt(firstOp, lane + 1));
  return laneOf;
}

function ranksOfOperations({ firstLane, firstOp, ops }: Plan): Int32Array {
  const rankOf = new Int32Array(ops.kind.length);
  for (let rank = 0; rank + 1 < firstLane.length; rank++) {
    rankOf.fill(rank, intAt(firstOp, intAt(firstLane, rank)), intAt(firstOp, intAt(firstLane, rank + 1)));
  }
  return rankOf;
}
