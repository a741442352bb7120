/** Rung 2, matching: the k-th send of a connection (a, b, channel) meets the k-th receive, with equal counts. */

import { byGroup } from '../../ir/column.ts';
import { operationCount, type Plan } from '../../ir/plan.ts';
import { counted } from '../../ir/units.ts';
import { isReceive, isSend, type PlanIndex } from '../plan-index.ts';
import { CheckFindings, type FindingText, nameOf, tell } from '../story.ts';

/** All the messages of a plan. Connections are numbered in the order in which their first operation stands in the tables. */
export interface Connections {
  /** The connection of each operation, −1 for local ones. */
  readonly of: Int32Array;
  /** Which message of its connection an operation sends or receives, from 0. */
  readonly ordinal: Int32Array;
  /** Sends of connection c in order: `sends[firstSend[c] … firstSend[c + 1] − 1]`; likewise receives. */
  readonly sends: Int32Array;
  readonly firstSend: Int32Array;
  readonly receives: Int32Array;
  readonly firstReceive: Int32Array;
  /** The receive that takes a send's message, and the send that a receive waits for; −1 for what is local or without a match. */
  readonly partner: Int32Array;
}

/** Numbers connections by (sender, receiver, channel). */
class Numbering {
  private readonly byPair = new Map<number, Map<number, number>>();
  private readonly ranks: number;
  count = 0;

  constructor(ranks: number) {
    this.ranks = ranks;
  }

  of(sender: number, receiver: number, channel: number): number {
    const pair = sender * this.ranks + receiver;
    let channels = this.byPair.get(pair);
    if (channels === undefined) {
      channels = new Map();
      this.byPair.set(pair, channels);
    }
    let number = channels.get(channel);
    if (number === undefined) {
      number = this.count++;
      channels.set(channel, number);
    }
    return number;
  }
}

/** Groups sends and receives by connection; peers must be in range. */
export function connect(index: PlanIndex): Connections {
  const { plan } = index;
  const numbering = new Numbering(plan.buffers.length);
  const of = connectionOf(index, numbering);
  const { first: firstSend, rows: sends } = byGroup(ofKind(plan, of, true), numbering.count);
  const { first: firstReceive, rows: receives } = byGroup(ofKind(plan, of, false), numbering.count);
  const ordinal = new Int32Array(of.length);
  numberWithin(sends, firstSend, ordinal);
  numberWithin(receives, firstReceive, ordinal);
  const partner = partners(of.length, sends, firstSend, receives, firstReceive);
  return { of, ordinal, sends, firstSend, receives, firstReceive, partner };
}

function connectionOf({ plan, laneOf, rankOf }: PlanIndex, numbering: Numbering): Int32Array {
  const { ops } = plan;
  const of = new Int32Array(operationCount(plan)).fill(-1);
  let previous = -1;
  for (let o = 0; o < of.length; o++) {
    const receives = isReceive(plan, o);
    if (!receives && !isSend(plan, o)) continue;
    // Most lanes serve one connection: its number is that of the lane's message before.
    const same =
      previous >= 0 &&
      laneOf[previous] === laneOf[o] &&
      ops.peer[previous] === ops.peer[o] &&
      ops.channel[previous] === ops.channel[o] &&
      isReceive(plan, previous) === receives;
    if (same) of[o] = of[previous];
    else if (receives) of[o] = numbering.of(ops.peer[o], rankOf[o], ops.channel[o]);
    else of[o] = numbering.of(rankOf[o], ops.peer[o], ops.channel[o]);
    previous = o;
  }
  return of;
}

/** The connections of sends alone, or of what is no send; −1 for others. */
function ofKind(plan: Plan, of: Int32Array, sending: boolean): Int32Array {
  const some = of.slice();
  for (let o = 0; o < some.length; o++) if (isSend(plan, o) !== sending) some[o] = -1;
  return some;
}

/** The place of each operation among those of its connection. */
function numberWithin(operations: Int32Array, first: Int32Array, ordinal: Int32Array): void {
  for (let c = 0; c + 1 < first.length; c++) {
    for (let at = first[c]; at < first[c + 1]; at++) ordinal[operations[at]] = at - first[c];
  }
}

/** For each of so many operations the other end of its message: the k-th send of a connection and the k-th receive. */
export function partners(
  operations: number,
  sends: Int32Array,
  firstSend: Int32Array,
  receives: Int32Array,
  firstReceive: Int32Array,
): Int32Array {
  const partner = new Int32Array(operations).fill(-1);
  for (let c = 0; c + 1 < firstSend.length; c++) {
    const messages = Math.min(firstSend[c + 1] - firstSend[c], firstReceive[c + 1] - firstReceive[c]);
    for (let k = 0; k < messages; k++) {
      const send = sends[firstSend[c] + k];
      const receive = receives[firstReceive[c] + k];
      partner[send] = receive;
      partner[receive] = send;
    }
  }
  return partner;
}

/** Rung 2. */
export function checkMatching(index: PlanIndex, connections: Connections): CheckFindings {
  const findings = new CheckFindings('mismatched');
  const { ops } = index.plan;
  const { sends, firstSend, receives, firstReceive } = connections;
  for (let c = 0; c + 1 < firstSend.length; c++) {
    const sent = firstSend[c + 1] - firstSend[c];
    const received = firstReceive[c + 1] - firstReceive[c];
    const unequal = firstUnequal(index, connections, c, Math.min(sent, received));
    if (unequal >= 0) {
      const send = sends[firstSend[c] + unequal];
      const receive = receives[firstReceive[c] + unequal];
      findings.add(() => ({
        message:
          `Message ${unequal} from rank ${ops.peer[receive]} to rank ${ops.peer[send]} on channel ${ops.channel[send]} ` +
          `is sent with ${counted(ops.srcCount[send], 'chunk')} and received with ${ops.dstCount[receive]}: the counts must agree.`,
        story: [tell(index, send), tell(index, receive)],
      }));
    } else if (sent !== received) {
      const extra = sent > received ? sends[firstSend[c] + received] : receives[firstReceive[c] + sent];
      findings.add(() => unmatched(index, extra, sent, received));
    }
  }
  return findings;
}

function firstUnequal(index: PlanIndex, connections: Connections, connection: number, pairs: number): number {
  const { ops } = index.plan;
  const { sends, firstSend, receives, firstReceive } = connections;
  for (let k = 0; k < pairs; k++) {
    const send = sends[firstSend[connection] + k];
    const receive = receives[firstReceive[connection] + k];
    if (ops.srcCount[send] !== ops.dstCount[receive]) return k;
  }
  return -1;
}

function unmatched(index: PlanIndex, operation: number, sent: number, received: number): FindingText {
  const { plan, rankOf } = index;
  const sending = isSend(plan, operation);
  const peer = plan.ops.peer[operation];
  const [from, to] = sending ? [rankOf[operation], peer] : [peer, rankOf[operation]];
  const missing = sending ? 'no receive takes' : 'no send feeds';
  return {
    message:
      `Rank ${from} sends ${counted(sent, 'message')} to rank ${to} on channel ${plan.ops.channel[operation]}, ` +
      `which receives ${received}: ${missing} ${nameOf(index, operation)}.`,
    story: [tell(index, operation)],
  };
}
