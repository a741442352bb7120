/** Where trees over rows are worth a search. */
import { collectiveFacts, keepsRankOrder } from '../../ir/collective.ts';
import type { Topology } from '../../ir/topology.ts';
import { leastChunks } from '../derive.ts';
import type { Problem } from '../engine.ts';
import { mostRanksFor } from '../limits.ts';
import type { TreeDerivation } from './derivations.ts';
import type { MessageTimes } from './times.ts';

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
export function unfitFor({ collective, chunks }: Problem, derivation: TreeDerivation): string | undefined {
  const { ranks, kind } = collective;
  if (ranks < 3) return 'so few ranks need no tree';
  if (ranks > mostRanksFor.cubes)
    return `trees over rows of more than ${mostRanksFor.cubes} ranks take too long to find`;
  if (collectiveFacts[kind].reduces && keepsRankOrder(collective)) return 'needs an operator that commutes';
  if (collective.counts !== undefined) return 'shards differ';
  if (chunks !== undefined && chunks % leastChunks(collective, derivation, [1, 1]) !== 0) {
    return `a message of ${chunks} chunks cannot be divided among ${ranks} ranks`;
  }
  return undefined;
}

/** Whether some ranks are nearer to each other than others: else textbook trees do as well. */
export function areApart({ ranks, arrival }: MessageTimes): boolean {
  return arrival.some((seconds, at) => at % (ranks + 1) !== 0 && seconds !== arrival[1]);
}
