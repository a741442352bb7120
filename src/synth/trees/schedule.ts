/** Schedules of packed trees: chunks of a root are shared out among its trees, and travel down them edge by edge. */
import { type Collective, collectiveFacts } from '../../ir/collective.ts';
import { type Schedule, StepsBuilder, scheduleBuffers } from '../../ir/schedule.ts';
import { greatestCommonDivisor, leastCommonMultiple } from '../../ir/whole-numbers.ts';
import { mostChunks } from '../list/places.ts';
import type { Tree } from './pack.ts';
import type { SharedTrees } from './packing.ts';
import { startTimes } from './timing.ts';
import { WayChoice, type Ways } from './ways.ts';

const data = scheduleBuffers.indexOf('data');

/** The chunks that a shard is divided into, so that each of its root's trees carries a part like its width. */
export function chunksOf({ trees }: SharedTrees): number {
  let chunks = 1;
  for (const [root, amount] of amountsOf(trees)) {
    const own = trees.filter((tree) => tree.root === root);
    const common = own.reduce((divisor, tree) => greatestCommonDivisor(divisor, tree.amount), 0);
    chunks = leastCommonMultiple(chunks, amount / common);
    if (chunks > mostChunks) return mostChunks;
  }
  return chunks;
}

/** Trees of each root. */
function amountsOf(trees: readonly Tree[]): Map<number, number> {
  const amounts = new Map<number, number>();
  for (const { root, amount } of trees) amounts.set(root, (amounts.get(root) ?? 0) + amount);
  return amounts;
}

/**
 * The allgather or broadcast that sends the chunks of each root down its trees.
 *
 * @param collective its C is a multiple of `chunksOf(packing)`; with any other, trees get the nearest whole number of chunks
 * @param ways what channels choose among on the machine that the schedule is for
 * @param firstNumber where channels begin, so that what comes before in a composition has its own
 */
export function scheduleOf(
  name: string,
  packing: SharedTrees,
  collective: Collective,
  ways: Ways,
  firstNumber = 0,
): Schedule {
  const messages = messagesOf(packing, collective, new WayChoice(packing, ways));
  const builder = new StepsBuilder();
  // A channel for each tree on a connection: data never stands in line behind data that comes later, also from one bulk to the next.
  const used = new Map<string, number>();
  for (const step of inOrderOfTime(messages, packing, ways)) {
    for (const { from, to, way, offset, count } of step) {
      const connection = `${from} ${to} ${way}`;
      const number = used.get(connection) ?? 0;
      used.set(connection, number + 1);
      const channel = (firstNumber + number) * ways.choices(from, to) + way;
      const message = { kind: 'copy', order: 'held-first', origin: undefined } as const;
      builder.startTransfer({ ...message, source: from, destination: to, channel });
      builder.addPiece(data, offset, data, offset, count);
    }
    builder.endStep();
  }
  return { name, collective, scratch: 0, commutative: false, ring: false, steps: builder.build() };
}

/** Chunks that go over one edge of a batch of trees. */
interface Message {
  readonly from: number;
  readonly to: number;
  readonly depth: number;
  /** Which of the routes between its ends it takes: what is left of its channel after division by their number. */
  readonly way: number;
  readonly offset: number;
  readonly count: number;
}

/** All messages, tree after tree. */
function messagesOf(packing: SharedTrees, { kind, ranks, chunks }: Collective, choice: WayChoice): Message[] {
  const { trees } = packing;
  const amounts = amountsOf(trees);
  const given = new Float64Array(ranks);
  return trees.flatMap(({ root, amount, edges }) => {
    const chunkAt = (before: number): number => Math.round((chunks * before) / (amounts.get(root) ?? 1));
    const first = chunkAt(given[root]);
    given[root] += amount;
    const offset = first + (collectiveFacts[kind].sharded ? root * chunks : 0);
    const count = chunkAt(given[root]) - first;
    return edges.map(({ from, to, depth }) => ({ from, to, depth, way: choice.next(from, to, amount), offset, count }));
  });
}

function inOrderOfTime(messages: readonly Message[], { trees }: SharedTrees, ways: Ways): Message[][] {
  const starts = startTimes(trees, (index) =>
    ways.loads(messages[index].from, messages[index].to, messages[index].way),
  );
  const sent = [...messages.keys()].filter((index) => messages[index].count > 0);
  const order = sent.sort((a, b) => starts[a] - starts[b] || a - b);
  const steps: Message[][] = [];
  let time = Number.NEGATIVE_INFINITY;
  for (const index of order) {
    if (starts[index] > time) steps.push([]);
    time = starts[index];
    steps[steps.length - 1].push(messages[index]);
  }
  return steps;
}
