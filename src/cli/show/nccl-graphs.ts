/** Writes NCCL's rings and trees, channel by channel. */

import { counted } from '../../ir/units.ts';
import type { NcclGraphs } from '../../read/index.ts';

/** Where the other hosts of a tree are attached, by NCCL's number of the tree pattern. */
const hanging = {
  1: 'the hosts below hang on the second GPU and on the first',
  2: 'the hosts below hang on the second GPU',
  3: 'the hosts below hang on the first GPU',
} as const;

export function showNcclGraphs({ gpus, rings, trees, notes }: NcclGraphs): string {
  const lines = [`channels of NCCL through ${counted(gpus, 'GPU')} of a host`];
  const ways = (orders: readonly (readonly number[])[]): readonly string[] =>
    orders.map((order, channel) => `  channel ${channel}: ${order.join(' → ')}`);
  if (rings !== undefined)
    lines.push('', 'rings (nccl-ring); with several hosts each goes on to the next host:', ...ways(rings));
  if (trees !== undefined) {
    lines.push('', `chains of double binary trees (nccl-tree); ${hanging[trees.pattern]}:`, ...ways(trees.orders));
  }
  return [...lines, ...notes.map((note) => `note: ${note}`)].map((line) => `${line}\n`).join('');
}
