/**
 * The strategy `rows`: broadcast trees for short messages behind switches, on machines where some chips are nearer to each other than
 * others (row-tree.ts).
 */
import type { Topology } from '../../ir/topology.ts';
import type { Bytes } from '../../ir/units.ts';
import { maxRanksFor } from '../limits.ts';
import { centred, rowOf } from '../row.ts';
import type { Strategy } from './problem.ts';
import type { RouteTable } from './route-table.ts';
import { type Handover, type MessageTimes, treeInRow } from './row-tree.ts';
import { Moves } from './spread.ts';

/** Broadcast trees over a row of ranks. */
export const rows: Strategy = {
  name: 'rows',
  unfit: ({ kind, topology, routes }) =>
    kind === 'broadcast' ? unfitForRow(topology, routes) : 'trees over rows have one root',
  leastLatency: () => 0,
  itemsPerShard: () => 1,
  search({ origin }, { routes, root, size }) {
    const moves = new Moves();
    for (const round of treeOverRow(routes(), root, { fixed: size, each: 0 })) {
      for (const { from, to } of round) for (const item of origin.keys()) moves.add(from, to, item);
      moves.endStep();
    }
    return moves;
  },
};

/**
 * The reason why a broadcast over a row is not worth a search, or undefined.
 * @param ways called only if the cheaper conditions hold: chips behind switches, each with one link or port
 */
function unfitForRow({ nodes, links, chips }: Topology, ways: () => RouteTable): string | undefined {
  const [leaving, entering] = [new Int32Array(nodes.length), new Int32Array(nodes.length)];
  for (const { from, to } of links) {
    leaving[from]++;
    entering[to]++;
  }
  const isNarrow = (node: number): boolean => {
    const { send, receive } = nodes[node].ports;
    return Math.min(send, leaving[node]) === 1 && Math.min(receive, entering[node]) === 1;
  };
  const ranks = chips.length;
  if (nodes.length === ranks || !chips.every(isNarrow)) return 'rows need switches, and chips that send one by one';
  if (ranks > maxRanksFor.cubes) return `trees over rows of more than ${maxRanksFor.cubes} ranks take too long to find`;
  const { from, latency } = ways();
  if (from.length < ranks * (ranks - 1)) return 'rows need ways between all chips';
  if (latency.every((each) => each === latency[0]))
    return 'where all are as far from each other, textbook trees do as well';
  return undefined;
}

/**
 * Returns the fastest tree from a root over all ranks, in rounds.
 * @param ways must have an arc between every two ranks
 * @param weight bytes of a message: `fixed`, plus `each` for every rank whose data it carries
 */
export function treeOverRow(
  ways: RouteTable,
  root: number,
  weight: { readonly fixed: Bytes; readonly each: Bytes },
): readonly (readonly Handover[])[] {
  const { ranks } = ways;
  const times = messageTimes(ways, weight);
  const apart = (from: number, to: number) => times(from, to, 0).arrived;
  return treeInRow(times, centred(rowOf(ranks, apart), root, apart), root);
}

/**
 * The time of messages on the arcs. A message occupies its sender for the latency as well if its first link is blocking or the sender has a
 * single port; otherwise only while its bytes go over the first link.
 */
function messageTimes(
  ways: RouteTable,
  { fixed, each }: { readonly fixed: Bytes; readonly each: Bytes },
): MessageTimes {
  const { topology, ranks, from, to, latency, bandwidth } = ways;
  const wayAt = new Int32Array(ranks * ranks);
  for (let way = 0; way < from.length; way++) wayAt[from[way] * ranks + to[way]] = way;
  return (source, destination, count) => {
    if (source === destination) return { arrived: 0, free: 0 };
    const way = wayAt[source * ranks + destination];
    const first = topology.links[ways.arcs[way].links[0]];
    const isHeld = first.occupancy === 'blocking' || ways.sendPorts[source] === 1;
    const bytes = fixed + count * each;
    return {
      arrived: latency[way] + bytes / bandwidth[way],
      free: isHeld ? latency[way] + bytes / bandwidth[way] : bytes / first.bandwidth,
    };
  };
}
