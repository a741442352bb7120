/** Where trees over rows are worth a search. */
import { collectiveFacts, keepsRankOrder } from '../../ir/collective.ts';
import type { Topology } from '../../ir/topology.ts';
import { leastChunks } from '../derive.ts';
import type { Problem } from '../engine.ts';
import type { TreeDerivation } from './derivations.ts';
import type { MessageTimes } from './times.ts';

/** What is searched grows with the third power of the ranks, and takes a fifth of a second for so many. */
const mostRanks = 128;
/** A scatter and an allgather send all data twice; a chain takes about as long as it should where the root is at its end. */
const closeToChain = 1.2;
/** Messages from everyone to everyone take about so many times as long as a message along the row, or longer. */
const straight = 4;

/** Whether all chips stand behind switches and send over one link or one port. */
export function sendsOneByOne({ nodes, links, chips }: Topology): boolean {
  const [leaving, entering] = [new Int32Array(nodes.length), new Int32Array(nodes.length)];
  for (const { from, to } of links) {
    leaving[from]++;
    entering[to]++;
  }
  const isNarrow = (node: number): boolean => {
    const { send, receive } = nodes[node].ports;
    return Math.min(send, leaving[node]) === 1 && Math.min(receive, entering[node]) === 1;
  };
  return nodes.length > chips.length && chips.every(isNarrow);
}

/** Why there is no tree for a problem, or undefined. */
export function unfitFor({ collective, chunks, routes }: Problem, derivation: TreeDerivation): string | undefined {
  const { ranks, kind } = collective;
  if (ranks < 3) return 'so few ranks need no tree';
  if (ranks > mostRanks) return `trees over rows of more than ${mostRanks} ranks take too long to find`;
  if (collectiveFacts[kind].reduces && keepsRankOrder(collective)) return 'needs an operator that commutes';
  if (collective.counts !== undefined) return 'shards differ';
  if (kind === 'alltoall' && routes.topology.links.some(({ occupancy }) => occupancy === 'pipelined')) {
    return 'messages that go straight hardly hinder each other';
  }
  if (chunks !== undefined && chunks % leastChunks(collective, derivation, [1, 1]) !== 0) {
    return `a message of ${chunks} chunks cannot be divided among ${ranks} ranks`;
  }
  return undefined;
}

/**
 * Whether messages of all data take so long that other plans are sure to be better. Those that have it double at best while one is sent; a chain along the
 * row, of N messages of latency a, takes (√Na + √(M/β))² in the number of bulks that suits it, and twice that where it has to turn.
 */
export function isTooLong(
  { routes, collective, size, toBeat }: Problem,
  { parts }: TreeDerivation,
  row: readonly number[],
): boolean {
  const bandwidth = routes.topology.links.reduce((most, link) => Math.max(most, link.bandwidth), 0);
  const sending = size / bandwidth;
  const along = row.slice(1).reduce((sum, rank, at) => sum + (routes.between(row[at], rank)?.latency ?? 0), 0);
  const chain = (Math.sqrt(along) + Math.sqrt(sending)) ** 2;
  const enough = toBeat ?? Number.POSITIVE_INFINITY;
  // Half the ranks send what they have for the other half over one link of the root, where each could send straight to each.
  if (collective.kind === 'alltoall') return (row.length / 2) * sending >= Math.min(straight * along, enough);
  if (parts.some(({ kind }) => kind === 'allgather')) return 2 * sending >= Math.min(closeToChain * chain, enough);
  const whole = parts.filter(({ kind }) => kind === 'broadcast').length;
  const least = whole * Math.ceil(Math.log2(row.length)) * sending;
  return whole > 0 && least >= Math.min(2 * whole * chain, enough);
}

/** Whether some ranks are nearer to each other than others: else textbook trees do as well. */
export function areApart({ ranks, arrival }: MessageTimes): boolean {
  return arrival.some((seconds, at) => at % (ranks + 1) !== 0 && seconds !== arrival[1]);
}
