/**
 * Section 2 of docs/verification.md: sends and receives match. A connection is a sender, a receiver and a channel; its k-th send pairs with its k-th
 * receive.
 */
import type { Layout } from './form.ts';
import { none, Refusal, requireForm } from './refusal.ts';
import { intAt, isMessage, itemAt, operationCode, type PlanTables } from './tables.ts';

/** What the pairs of sends and receives tell about each operation; all columns have an entry for each operation. */
export interface Messages {
  /** The send of a receive, the receive of a send, in the same bulk; −1 for copies and reductions. */
  readonly partner: Int32Array;
  /**
   * By send: the receive that makes room for it in the connection's buffer, and the number of bulks by which that receive is earlier; −1 where there
   * is always room, and where messages are not buffered.
   */
  readonly roomMaker: Int32Array;
  readonly roomBulks: Int32Array;
  /** The first of the cells that hold the message on its way, behind those of all ranks; −1 for copies and reductions. */
  readonly messageCell: Int32Array;
  /** The number of cells, those of messages included. */
  readonly cells: number;
}

/** The sends and the receives of a connection in one bulk, each in the order in which they run. */
class Connection {
  readonly sends: number[] = [];
  readonly receives: number[] = [];
}

/** @param inflight how many messages a connection buffers @throws Refusal */
export function matchMessages(plan: PlanTables, layout: Layout, inflight: number): Messages {
  const column = (): Int32Array => new Int32Array(plan.ops.kind.length).fill(none);
  const [partner, roomMaker, roomBulks, messageCell] = [column(), column(), column(), column()];
  const { messageIds = Number.POSITIVE_INFINITY } = plan.limits ?? {};
  let { cells } = layout;
  for (const { sends, receives } of connectionsOf(plan, layout)) {
    const onTheirWay = Math.min(inflight, sends.length * plan.bulks);
    if (onTheirWay > messageIds)
      throw new Refusal('over-capacity', 'more messages than ids are on their way', sends[0]);
    for (const [k, send] of sends.entries()) {
      const receive = receives[k] ?? none;
      if (receive === none || intAt(layout.moved, send) !== intAt(layout.moved, receive)) throw unmatched(send);
      [partner[send], partner[receive]] = [receive, send];
      [messageCell[send], messageCell[receive]] = [cells, cells];
      cells += intAt(layout.moved, send);
      const room = roomFor(k, receives, inflight, plan.bulks);
      if (room !== undefined) [roomMaker[send], roomBulks[send]] = [room.receive, room.bulks];
    }
    const surplus = receives[sends.length];
    if (surplus !== undefined) throw unmatched(surplus);
  }
  return { partner, roomMaker, roomBulks, messageCell, cells };
}

function unmatched(operation: number): Refusal {
  return new Refusal('mismatched', 'its other end is missing, or moves more or fewer chunks', operation);
}

/** All connections of a plan. The sends of a connection stand in one lane, and its receives in one lane: so their order is that of the lane. */
function connectionsOf({ ops, collective }: PlanTables, { rankOf, laneOf }: Layout): readonly Connection[] {
  const all: Connection[] = [];
  /** By sender and receiver, then by channel. */
  const byRanks = new Map<number, Map<number, Connection>>();
  for (let o = 0; o < ops.kind.length; o++) {
    const kind = intAt(ops.kind, o);
    if (!isMessage(kind)) continue;
    const isSend = kind === operationCode.send;
    const [rank, peer, channel] = [intAt(rankOf, o), intAt(ops.peer, o), intAt(ops.channel, o)];
    const ranks = isSend ? rank * collective.ranks + peer : peer * collective.ranks + rank;
    const byChannel = byRanks.get(ranks) ?? new Map<number, Connection>();
    byRanks.set(ranks, byChannel);
    let connection = byChannel.get(channel);
    if (connection === undefined) {
      connection = new Connection();
      byChannel.set(channel, connection);
      all.push(connection);
    }
    const side = isSend ? connection.sends : connection.receives;
    side.push(o);
    requireForm(intAt(laneOf, side[0] ?? o) === intAt(laneOf, o), 'it is not in the lane of its connection', o);
  }
  return all;
}

/**
 * The receive that makes room for send k. Over all bulks that is send number k + bK of its connection, where K is the number of sends per bulk, and it
 * waits for receive number k + bK − inflight, which may be in an earlier bulk or not be there at all.
 */
function roomFor(
  k: number,
  receives: readonly number[],
  inflight: number,
  bulks: number,
): { readonly receive: number; readonly bulks: number } | undefined {
  if (inflight === 0 || inflight === Number.POSITIVE_INFINITY) return undefined;
  const earlier = Math.max(0, Math.ceil((inflight - k) / receives.length));
  if (earlier >= bulks) return undefined;
  return { receive: itemAt(receives, k - inflight + earlier * receives.length), bulks: earlier };
}
