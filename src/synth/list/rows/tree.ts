/** Trees over rows of chips behind switches, some of which are nearer to each other than others. */
import type { Topology } from '../../../ir/topology.ts';
import type { Bytes } from '../../../ir/units.ts';
import { mostRanksFor } from '../../limits.ts';
import { centred, rowOf } from '../../row.ts';
import type { Ways } from '../ways.ts';
import { type Handover, type MessageTimes, Splitting } from './splitting.ts';

/** What a message of a tree weighs: so much in any case, and so much for each rank that gets something. */
interface Weight {
  readonly fixed: Bytes;
  readonly each: Bytes;
}

/**
 * Why no tree over a row is worth a search, or undefined.
 *
 * @param ways asked for only where chips stand behind switches, over one link or one port
 */
export function unfitForRow({ nodes, links, chips }: Topology, ways: () => Ways): string | undefined {
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
  if (ranks > mostRanksFor.cubes)
    return `trees over rows of more than ${mostRanksFor.cubes} ranks take too long to find`;
  const { from, latency } = ways();
  if (from.length < ranks * (ranks - 1)) return 'rows need ways between all chips';
  if (latency.every((each) => each === latency[0]))
    return 'where all are as far from each other, textbook trees do as well';
  return undefined;
}

/** The best tree of a root, its messages in rounds: after that which brought their data, and after those in which their sender sent before. */
export function treeOverRow(ways: Ways, root: number, weight: Weight): readonly (readonly Handover[])[] {
  const { ranks } = ways;
  const times = messageTimes(ways, weight);
  const apart = (from: number, to: number) => times.arrival[from * ranks + to];
  const row = centred(rowOf(ranks, apart), root, apart);
  const next = new Int32Array(ranks);
  const rounds: Handover[][] = [];
  for (const message of new Splitting(times, row).treeFrom(root)) {
    const round = next[message.from];
    next[message.from] = round + 1;
    next[message.to] = round + 1;
    rounds[round] ??= [];
    rounds[round].push(message);
  }
  return rounds;
}

/** A message keeps the only link or port of its sender for its latency, too, unless the link is pipelined and the ports are many. */
function messageTimes(ways: Ways, { fixed, each }: Weight): MessageTimes {
  const { topology, ranks, from, to, latency, bandwidth } = ways;
  const column = () => new Float64Array(ranks * ranks);
  const times = { arrival: column(), arrivalEach: column(), release: column(), releaseEach: column() };
  for (let way = 0; way < from.length; way++) {
    const at = from[way] * ranks + to[way];
    const first = topology.links[ways.link[ways.firstLink[way]]];
    const isHeld = first.occupancy === 'blocking' || ways.sendPorts[from[way]] === 1;
    const rate = isHeld ? bandwidth[way] : first.bandwidth;
    times.arrival[at] = latency[way] + fixed / bandwidth[way];
    times.arrivalEach[at] = each / bandwidth[way];
    times.release[at] = (isHeld ? latency[way] : 0) + fixed / rate;
    times.releaseEach[at] = each / rate;
  }
  return times;
}
