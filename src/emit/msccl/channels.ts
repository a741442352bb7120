/** The format's channels: the plan's, numbered from 0, and more of them where a rank has more peers than one channel takes. */
import { OperationCode, type Plan, rankOfLane } from '../../ir/plan.ts';
import { mscclLimits } from './limits.ts';

export interface MscclChannels {
  readonly count: number;
  /** The number of a connection's channel. */
  of(channel: number, from: number, to: number): number;
}

/**
 * Peers are shared out by how far they are away, modulo the ranks: so a rank has as many peers to send to on a channel as to receive
 * from, and thread blocks can be paired.
 */
export function channelsOf(plan: Plan): MscclChannels {
  const { ops, buffers } = plan;
  const ranks = buffers.length;
  const used = new Set<number>();
  for (let o = 0; o < ops.kind.length; o++) if (ops.peer[o] >= 0) used.add(ops.channel[o]);
  const numberOf = new Map([...used].sort((a, b) => a - b).map((channel, number) => [channel, number]));
  const parts =
    mostPeers(plan) > mscclLimits.peersPerChannel ? Math.ceil((ranks - 1) / mscclLimits.peersPerChannel) : 1;
  const partOf = (from: number, to: number): number => {
    const distance = (to - from + ranks) % ranks;
    return parts === 1 ? 0 : Math.floor((distance - 1) / mscclLimits.peersPerChannel);
  };
  return {
    count: Math.max(1, numberOf.size * parts),
    of: (channel, from, to) => (numberOf.get(channel) ?? 0) * parts + partOf(from, to),
  };
}

/** The most peers that a rank sends to, or receives from, on one channel. */
function mostPeers(plan: Plan): number {
  const { ops, firstOp, laneId } = plan;
  const peers = new Map<string, Set<number>>();
  for (let lane = 0; lane < laneId.length; lane++) {
    const rank = rankOfLane(plan, lane);
    for (let o = firstOp[lane]; o < firstOp[lane + 1]; o++) {
      if (ops.peer[o] < 0) continue;
      const key = `${rank} ${ops.channel[o]} ${ops.kind[o] === OperationCode.send}`;
      const known = peers.get(key);
      if (known === undefined) peers.set(key, new Set([ops.peer[o]]));
      else known.add(ops.peer[o]);
    }
  }
  let most = 0;
  for (const known of peers.values()) most = Math.max(most, known.size);
  return most;
}
