/** The strategy `rows`: trees for short messages behind switches, where some chips are nearer than others. */
import type { Strategy } from '../problem.ts';
import { Moves } from '../spread.ts';
import { treeOverRow, unfitForRow } from './tree.ts';

export const rows: Strategy = {
  name: 'rows',
  unfit: ({ kind, topology, ways }) =>
    kind === 'broadcast' ? unfitForRow(topology, ways) : 'trees over rows have one root',
  leastLatency: () => 0,
  itemsPerShard: () => 1,
  search({ origin }, { ways, root, size }) {
    const moves = new Moves();
    for (const round of treeOverRow(ways(), root, { fixed: size, each: 0 })) {
      for (const { from, to } of round) for (const item of origin.keys()) moves.add(from, to, item);
      moves.endStep();
    }
    return moves;
  },
};
