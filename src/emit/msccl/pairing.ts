/**
 * Merges receiving and sending thread blocks, either to fuse steps that forward what they receive, or to need fewer blocks. A merged block runs its
 * steps one after the other, so that less may overlap.
 */
import { OperationCode, type Plan } from '../../ir/plan.ts';
import type { RankThreadBlocks } from './blocks.ts';
import type { RankOperations } from './program-order.ts';
import type { BlockEnds } from './target.ts';

export interface Pairing {
  readonly blocks: RankThreadBlocks;
  /** The fused pairs: receives and the send that forwards each. */
  readonly forwards: ReadonlyMap<number, number>;
}

/** A receiving and a sending block of one channel, and the operations that could be fused. */
interface Match {
  readonly receiver: number;
  readonly sender: number;
  readonly forwards: (readonly [receive: number, send: number])[];
}

/** Merges blocks if most messages that one receives are those that the other sends. */
export function fuse(plan: Plan, rank: RankOperations, blocks: RankThreadBlocks): Pairing {
  const sizes = new Int32Array(blocks.ends.length);
  for (const block of blocks.of) sizes[block]++;
  const matches = matchesOf(plan, rank, blocks).filter(
    ({ receiver, sender, forwards }) =>
      receiver === sender || 2 * forwards.length >= Math.min(sizes[receiver], sizes[sender]),
  );
  matches.sort((a, b) => b.forwards.length - a.forwards.length || a.receiver - b.receiver || a.sender - b.sender);
  const partnerOf = new Map<number, number>();
  const taken = new Set<number>();
  const forwards = new Map<number, number>();
  for (const match of matches) {
    const { receiver, sender } = match;
    if (taken.has(receiver) || taken.has(sender)) continue;
    taken.add(receiver).add(sender);
    if (receiver !== sender) partnerOf.set(sender, receiver);
    for (const [receive, send] of match.forwards) forwards.set(receive, send);
  }
  return { blocks: withPartners(blocks, partnerOf), forwards };
}

/** Merges as many pairs as possible, in the order of the blocks. */
export function pairUp(blocks: RankThreadBlocks): Pairing {
  const partnerOf = new Map<number, number>();
  const free = new Map<number, number[]>();
  blocks.ends.forEach(({ send, receive, channel }, block) => {
    if (receive < 0 || send >= 0) return;
    const others = free.get(channel);
    if (others === undefined) free.set(channel, [block]);
    else others.push(block);
  });
  blocks.ends.forEach(({ send, receive, channel }, block) => {
    const partner = send >= 0 && receive < 0 ? free.get(channel)?.shift() : undefined;
    if (partner !== undefined) partnerOf.set(block, partner);
  });
  return { blocks: withPartners(blocks, partnerOf), forwards: new Map() };
}

function matchesOf(plan: Plan, rank: RankOperations, { ends, of }: RankThreadBlocks): Match[] {
  const matches = new Map<number, Match>();
  const forwarded = new Set<number>();
  for (let send = rank.first; send < rank.end; send++) {
    if (plan.ops.kind[send] !== OperationCode.send) continue;
    const receive = rank.before[send - rank.first].find((earlier) => isForwarded(plan, earlier, send));
    if (receive === undefined || forwarded.has(receive)) continue;
    const [receiver, sender] = [of[receive - rank.first], of[send - rank.first]];
    const apart = ends[receiver].send < 0 && ends[sender].receive < 0;
    if (ends[receiver].channel !== ends[sender].channel || (receiver !== sender && !apart)) continue;
    forwarded.add(receive);
    const key = receiver * ends.length + sender;
    const match = matches.get(key) ?? { receiver, sender, forwards: [] };
    match.forwards.push([receive, send]);
    matches.set(key, match);
  }
  return [...matches.values()];
}

/** Whether a send forwards exactly the slots that a receive has written. */
function isForwarded({ ops }: Plan, receive: number, send: number): boolean {
  if (ops.kind[receive] !== OperationCode.recv && ops.kind[receive] !== OperationCode.recvReduce) return false;
  const isThere = ops.dstBuffer[receive] === ops.srcBuffer[send] && ops.dstOffset[receive] === ops.srcOffset[send];
  return isThere && ops.dstCount[receive] === ops.srcCount[send];
}

/** Assigns the operations of each sending block to its partner, and renumbers the remaining blocks. */
function withPartners({ ends, of }: RankThreadBlocks, partnerOf: ReadonlyMap<number, number>): RankThreadBlocks {
  const merged: BlockEnds[] = [];
  const idOf = new Int32Array(ends.length);
  ends.forEach((end, block) => {
    if (!partnerOf.has(block)) idOf[block] = merged.push(end) - 1;
  });
  for (const [sender, receiver] of partnerOf) {
    idOf[sender] = idOf[receiver];
    merged[idOf[receiver]] = { ...ends[receiver], send: ends[sender].send };
  }
  return { ends: merged, of: of.map((block) => idOf[block]) };
}
