/** The check of bounds on machines whose links are idle while their chips reduce (docs/bounds.md). */
import type { Collective } from '../../ir/collective.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { messagesInAll, ownValues, reductionsInAll } from './values.ts';
import { capacityOf, nearestPair, sumOf } from './ways.ts';

/**
 * Whether a plan that takes less than the time claimed would leave too little of its chips' time for all messages, and for all reductions
 * at a price of so many bytes sent for a byte reduced.
 */
export function provesExclusive(
  claimed: Seconds,
  direction: 'out' | 'in',
  price: number,
  collective: Collective,
  topology: Topology,
  size: Bytes,
): boolean {
  const messages = messagesInAll(collective) * size;
  const reductions = reductionsInAll(collective) * size;
  const time = claimed * (1 - 1e-9) - nearestPair(topology);
  if (!(price >= 0) || messages === 0 || reductions === 0 || !Number.isFinite(time)) return false;
  if (time <= 0) return true;
  const engines = topology.chips.map((chip) => topology.nodes[chip].reduce);
  if (engines.some((engine) => engine === undefined || engine.overlap)) return false;
  const values = ownValues(collective);
  const chips = topology.chips.map((chip, rank) => ({
    throughput: engines[rank]?.throughput ?? 0,
    bandwidth: { out: capacityOf(topology, chip, 'out'), in: capacityOf(topology, chip, 'in') },
    own: { out: values.out[rank] * size, in: values.in[rank] * size },
  }));
  // If all messages are some chip's own, chips that have none need not be counted among those that send.
  const ownOnly = sumOf(values[direction]) * size >= messages * (1 - 1e-12);
  const room = chips.map(({ throughput, bandwidth, own }) => {
    const counted = ownOnly && own[direction] === 0 ? 0 : bandwidth[direction];
    const free = (way: 'out' | 'in') => (own[way] === 0 ? time : time - own[way] / bandwidth[way]);
    const withReceiving = time / (1 + throughput / bandwidth.in);
    const reducing = Math.max(0, Math.min(free('out'), free('in'), withReceiving));
    return counted * time + Math.max(0, price * throughput - counted) * reducing;
  });
  return sumOf(room) <= (messages + price * reductions) * (1 + 1e-12);
}
