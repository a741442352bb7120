/** Schedules of packed trees: chunks of a root are shared out among its trees, and travel down them edge by edge. */
import { type Collective, collectiveFacts } from '../../ir/collective.ts';
import { type Schedule, StepsBuilder, scheduleBuffers } from '../../ir/schedule.ts';
import { greatestCommonDivisor, leastCommonMultiple } from '../../ir/whole-numbers.ts';
import { mostChunks } from '../list/places.ts';
import type { LoadsOf } from './loads.ts';
import type { Tree } from './pack.ts';
import type { Packing } from './packing.ts';
import { startTimes } from './timing.ts';

const data = scheduleBuffers.indexOf('data');

/** The chunks that a shard is divided into, so that each of its root's trees carries a part like its width. */
export function chunksOf({ trees }: Packing): number {
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
 * @param firstChannel where channels begin, so that what comes before in a composition has its own
 */
export function scheduleOf(
  name: string,
  packing: Packing,
  collective: Collective,
  loads: LoadsOf,
  firstChannel = 0,
): Schedule {
  const messages = messagesOf(packing, collective, firstChannel);
  const builder = new StepsBuilder();
  for (const step of inOrderOfTime(messages, packing, loads)) {
    for (const { from, to, channel, offset, count } of step) {
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
  readonly channel: number;
  readonly offset: number;
  readonly count: number;
}

/** All messages, tree after tree. */
function messagesOf({ trees }: Packing, { kind, ranks, chunks }: Collective, firstChannel: number): Message[] {
  // A channel for each tree on a connection: data never stands in line behind data that comes later, also from one bulk to the next.
  const used = new Int32Array(ranks * ranks).fill(firstChannel);
  const amounts = amountsOf(trees);
  const given = new Float64Array(ranks);
  return trees.flatMap(({ root, amount, edges }) => {
    const chunkAt = (before: number): number => Math.round((chunks * before) / (amounts.get(root) ?? 1));
    const first = chunkAt(given[root]);
    given[root] += amount;
    const offset = first + (collectiveFacts[kind].sharded ? root * chunks : 0);
    const count = chunkAt(given[root]) - first;
    return edges.map(({ from, to, depth }) => ({ from, to, depth, channel: used[from * ranks + to]++, offset, count }));
  });
}

function inOrderOfTime(messages: readonly Message[], { trees }: Packing, loads: LoadsOf): Message[][] {
  const starts = startTimes(trees, (index) => {
    const { from, to, channel } = messages[index];
    return loads(from, to, channel);
  });
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
