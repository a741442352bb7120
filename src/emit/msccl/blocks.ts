/**
 * Assigns operations to thread blocks. A lane becomes one thread block if the format permits that: at most one peer to send to and one to receive
 * from, on one channel. Otherwise each end of a connection becomes a block, and the lane's local operations become another. Many local operations are
 * divided among several blocks, in order.
 */
import { OperationCode, type Plan } from '../../ir/plan.ts';
import type { MscclChannels } from './channels.ts';
import type { RankOperations } from './program-order.ts';
import type { BlockEnds } from './target.ts';

export interface RankThreadBlocks {
  /** The peers of each block, by id; empty if the rank does nothing. */
  readonly ends: readonly BlockEnds[];
  /** The block of each operation, at `of[operation − first]`. */
  readonly of: Int32Array;
}

/**
 * @param channels the numbers of channels in the format
 * @param mostLocal maximum number of operations of a block with local operations only
 */
export function blocksOf(
  plan: Plan,
  rank: RankOperations,
  channels: MscclChannels,
  mostLocal: number,
): RankThreadBlocks {
  const of = new Int32Array(rank.end - rank.first);
  const ends: BlockEnds[] = [];
  for (let from = 0; from < of.length; ) {
    let to = from + 1;
    while (to < of.length && rank.laneOf[to] === rank.laneOf[from]) to++;
    assignLane(plan, rank, { from, to }, channels, { of, ends });
    from = to;
  }
  dealOut({ ends, of }, mostLocal);
  return { ends, of };
}

/** Continues local operations in a new block whenever a block is full. */
function dealOut({ ends, of }: { readonly ends: BlockEnds[]; readonly of: Int32Array }, mostLocal: number): void {
  const successor = new Map<number, { block: number; used: number }>();
  of.forEach((block, o) => {
    if (ends[block].send >= 0 || ends[block].receive >= 0) return;
    const current = successor.get(block) ?? { block, used: 0 };
    successor.set(block, current);
    if (current.used === mostLocal) {
      current.block = ends.push(local) - 1;
      current.used = 0;
    }
    current.used++;
    of[o] = current.block;
  });
}

function assignLane(
  plan: Plan,
  rank: RankOperations,
  lane: { readonly from: number; readonly to: number },
  channels: MscclChannels,
  { of, ends }: { readonly of: Int32Array; readonly ends: BlockEnds[] },
): void {
  const served: BlockEnds[] = [];
  const endOf: number[] = [];
  for (let o = lane.from; o < lane.to; o++) {
    const end = endServed(plan, rank, rank.first + o, channels);
    let known = served.findIndex((other) => isSame(other, end));
    if (known === -1) known = served.push(end) - 1;
    endOf.push(known);
  }
  const whole = joined(served);
  const first = ends.length;
  ends.push(...(whole === undefined ? served : [whole]));
  for (let o = lane.from; o < lane.to; o++) of[o] = whole === undefined ? first + endOf[o - lane.from] : first;
}

const local: BlockEnds = { send: -1, receive: -1, channel: 0 };

function endServed({ ops }: Plan, { rank }: RankOperations, operation: number, channels: MscclChannels): BlockEnds {
  const peer = ops.peer[operation];
  if (peer < 0) return local;
  const channel = ops.channel[operation];
  return ops.kind[operation] === OperationCode.send
    ? { send: peer, receive: -1, channel: channels.of(channel, rank, peer) }
    : { send: -1, receive: peer, channel: channels.of(channel, peer, rank) };
}

function isSame(a: BlockEnds, b: BlockEnds): boolean {
  return a.send === b.send && a.receive === b.receive && a.channel === b.channel;
}

/** One block with all of these ends, if the format permits it. */
function joined(ends: readonly BlockEnds[]): BlockEnds | undefined {
  const sending = ends.filter(({ send }) => send >= 0);
  const receiving = ends.filter(({ receive }) => receive >= 0);
  const channels = new Set([...sending, ...receiving].map(({ channel }) => channel));
  if (sending.length > 1 || receiving.length > 1 || channels.size > 1) return undefined;
  const [channel = 0] = channels;
  return { send: sending[0]?.send ?? -1, receive: receiving[0]?.receive ?? -1, channel };
}
