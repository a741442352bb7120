/** The check of bounds on machines whose links are idle while their chips reduce (docs/bounds.md). */
import type { Collective } from '../../ir/collective.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { spannedLength } from './spans.ts';
import { messagesInAll, ownValues, reductionsInAll } from './values.ts';
import { capacityOf, nearestPair, sumOf, waysTo } from './ways.ts';

/** What the certificate says: B of which direction, p, and perhaps lengths of links. */
export interface ExclusiveWitness {
  readonly direction: 'out' | 'in';
  readonly price: number;
  readonly lengths: readonly number[] | undefined;
}

/**
 * Whether a plan that takes less than the time claimed would leave too little of its chips' time for all messages, and for all reductions
 * at a price of so many bytes sent for a byte reduced.
 */
export function provesExclusive(
  claimed: Seconds,
  { direction, price, lengths }: ExclusiveWitness,
  collective: Collective,
  topology: Topology,
  size: Bytes,
): boolean {
  if (lengths !== undefined && !fits(lengths, topology)) return false;
  const messages =
    (lengths === undefined ? messagesInAll(collective) : spannedLength(lengths, collective, topology)) * size;
  const reductions = reductionsInAll(collective) * size;
  if (!(price >= 0) || messages === 0 || reductions === 0 || !Number.isFinite(claimed)) return false;
  const first = nearestPair(topology);
  if (claimed * (1 - 1e-9) <= first) return true;
  const engines = topology.chips.map((chip) => topology.nodes[chip].reduce);
  if (engines.some((engine) => engine === undefined || engine.overlap)) return false;
  const values = ownValues(collective);
  const chips = topology.chips.map((chip, rank) => ({
    throughput: engines[rank]?.throughput ?? 0,
    bandwidth: { out: capacityOf(topology, chip, 'out'), in: capacityOf(topology, chip, 'in') },
    own: { out: values.out[rank] * size, in: values.in[rank] * size },
  }));
  // If all messages are some chip's own, chips that have none need not be counted among those that send.
  const ownOnly = lengths === undefined && sumOf(values[direction]) * size >= messages * (1 - 1e-12);
  // What is done far from the root of a reduce must be done in time to get there.
  const toRoot =
    collective.kind === 'reduce' && lengths === undefined
      ? waysTo(topology, [topology.chips[collective.root]])
      : topology.nodes.map(() => 0);
  const room = chips.map(({ throughput, bandwidth, own }, rank) => {
    const until = claimed * (1 - 1e-9) - Math.max(first, toRoot[topology.chips[rank]]);
    const time = Math.max(0, until);
    const all = { carries: bandwidth[direction], loses: bandwidth[direction] };
    const counted = lengths === undefined ? all : weighed(topology.chips[rank], direction, lengths, topology);
    const { carries, loses } = ownOnly && own[direction] === 0 ? { carries: 0, loses: 0 } : counted;
    const free = (way: 'out' | 'in') => (own[way] === 0 ? time : time - own[way] / bandwidth[way]);
    const withReceiving = time / (1 + throughput / bandwidth.in);
    const reducing = Math.max(0, Math.min(free('out'), free('in'), withReceiving));
    return carries * time + Math.max(0, price * throughput - loses) * reducing;
  });
  return sumOf(room) <= (messages + price * reductions) * (1 + 1e-12);
}

/** Lengths weigh single links between chips that can all pass on what they hear. */
function fits(lengths: readonly number[], { links, nodes, chips }: Topology): boolean {
  return lengths.length === links.length && lengths.every((length) => length >= 0) && nodes.length === chips.length;
}

/**
 * Bytes × length that the links of a chip carry in a second, and how much of it only its own messages can have: what comes from others
 * has crossed another link of the chip before (or will, where messages are counted at their receivers).
 */
function weighed(chip: number, direction: 'out' | 'in', lengths: readonly number[], { links }: Topology) {
  const [near, far] = direction === 'out' ? (['from', 'to'] as const) : (['to', 'from'] as const);
  const others = lengths.filter((_, link) => links[link][far] === chip);
  const own = [...links.keys()].filter((link) => links[link][near] === chip);
  return {
    carries: sumOf(own.map((link) => links[link].bandwidth * lengths[link])),
    loses: sumOf(own.map((link) => links[link].bandwidth * Math.min(lengths[link], ...others))),
  };
}
