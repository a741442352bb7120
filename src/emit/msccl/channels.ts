/**
 * The channels of the format: those of the plan, numbered from 0, each divided into several if a rank has more peers than one channel of the format
 * permits.
 */
import type { Plan } from '../../ir/plan.ts';
import { PlanIndex } from '../../ir/plan-index.ts';
import { mscclLimits } from './limits.ts';

export interface MscclChannels {
  readonly count: number;
  /** The number of a connection's channel in the format. */
  of(channel: number, from: number, to: number): number;
}

/**
 * Divides peers by their distance modulo the number of ranks, so that on each channel a rank sends to as many peers as it receives from, and thread
 * blocks can be paired.
 */
export function channelsOf(plan: Plan): MscclChannels {
  const ranks = plan.buffers.length;
  const used = new Set(PlanIndex.of(plan).ends.channel);
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

/** The largest number of peers that one rank sends to, or receives from, on one channel. */
function mostPeers(plan: Plan): number {
  const { sender, receiver, channel } = PlanIndex.of(plan).ends;
  const peers = new Map<string, number>();
  sender.forEach((from, connection) => {
    for (const end of [`${from} sends`, `${receiver[connection]} receives`]) {
      const key = `${end} ${channel[connection]}`;
      peers.set(key, (peers.get(key) ?? 0) + 1);
    }
  });
  return [...peers.values()].reduce((most, count) => Math.max(most, count), 0);
}
