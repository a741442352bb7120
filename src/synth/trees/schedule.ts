/**
 * Schedules of packed trees: the chunks of a root are distributed over its trees, and travel along them edge by edge.
 */
import { KeyedHeap } from '../../graph/keyed-heap.ts';
import { type Collective, collectiveFacts } from '../../ir/collective.ts';
import { type Schedule, type Steps, StepsBuilder, scheduleBuffers } from '../../ir/schedule.ts';
import { rounding } from '../../ir/units.ts';
import { greatestCommonDivisor, leastCommonMultiple } from '../../ir/whole-numbers.ts';
import type { Arc } from '../arcs.ts';
import { maxChunksPerShard } from '../limits.ts';
import type { Tree } from './pack.ts';

const data = scheduleBuffers.indexOf('data');

/** Number of chunks of a shard such that each of its root's trees carries a part proportional to its width. */
export function chunksOf(trees: readonly Tree[]): number {
  let chunks = 1;
  for (const [root, amount] of amountsOf(trees)) {
    const own = trees.filter((tree) => tree.root === root);
    const common = own.reduce((divisor, tree) => greatestCommonDivisor(divisor, tree.amount), 0);
    chunks = leastCommonMultiple(chunks, amount / common);
    if (chunks > maxChunksPerShard) return maxChunksPerShard;
  }
  return chunks;
}

/** Total number of trees of each root. */
function amountsOf(trees: readonly Tree[]): Map<number, number> {
  const amounts = new Map<number, number>();
  for (const { root, amount } of trees) amounts.set(root, (amounts.get(root) ?? 0) + amount);
  return amounts;
}

/** The arc that the messages of a channel between two ranks occupy. */
export type ArcsOf = (from: number, to: number, channel: number) => Arc | undefined;

/** The chunks that take one edge of a tree. */
interface Message {
  readonly from: number;
  readonly to: number;
  /**
   * Every tree has a channel of its own on each connection, so that data never queues behind data that arrives later,
   * also across bulks.
   */
  readonly channel: number;
  readonly offset: number;
  readonly count: number;
  /** Occupied links and ports, with the seconds that the tree's amount occupies each. */
  readonly resources: readonly number[];
  readonly busy: readonly number[];
  readonly duration: number;
  /** The messages that its arrival enables. */
  readonly next: Message[];
  /** Time from its start until the last descendant has everything: its priority. */
  remaining: number;
  /** Start time; messages with equal start times form a step. */
  start: number;
}

/**
 * The allgather or broadcast that sends the chunks of each root down its trees.
 * @param collective its C is a multiple of `chunksOf(trees)`; otherwise trees get the nearest whole number of chunks
 * @param firstChannel first channel number, so that earlier parts of a composition have channels of their own
 */
export function treeSchedule(
  name: string,
  trees: readonly Tree[],
  collective: Collective,
  arcs: ArcsOf,
  firstChannel: number,
): Schedule {
  const { kind, ranks, chunks } = collective;
  const amounts = amountsOf(trees);
  const given = new Float64Array(ranks);
  const used = new Int32Array(ranks * ranks).fill(firstChannel);
  const messages = trees.flatMap((tree) => {
    const { root, amount } = tree;
    const chunkAt = (before: number): number => Math.round((chunks * before) / (amounts.get(root) ?? 1));
    const first = chunkAt(given[root]);
    given[root] += amount;
    const part = {
      offset: first + (collectiveFacts[kind].sharded ? root * chunks : 0),
      count: chunkAt(given[root]) - first,
    };
    return messagesOf(tree, part, arcs, (from, to) => used[from * ranks + to]++);
  });
  findStarts(messages);
  return { name, collective, scratch: 0, commutative: false, ring: false, steps: inSteps(messages) };
}

function messagesOf(
  { amount, edges }: Tree,
  part: Pick<Message, 'offset' | 'count'>,
  arcs: ArcsOf,
  channelOf: (from: number, to: number) => number,
): Message[] {
  const into = new Map<number, Message>();
  for (const { from, to } of edges) {
    const channel = channelOf(from, to);
    const { resources = [], secondsPerByte = [] } = arcs(from, to, channel) ?? {};
    const busy = secondsPerByte.map((seconds) => seconds * amount);
    const duration = Math.max(0, ...busy);
    const message = { from, to, channel, ...part, resources, busy, duration, next: [], remaining: 0, start: 0 };
    into.get(from)?.next.push(message);
    into.set(to, message);
  }
  const messages = [...into.values()];
  for (const message of messages.toReversed()) {
    message.remaining = message.next.reduce((most, { remaining }) => Math.max(most, remaining), 0) + message.duration;
  }
  return messages;
}

/**
 * Start times if messages take turns on links and ports: list scheduling by longest remaining path (Hu 1961; Graham
 * 1969). Plans run asynchronously; the times only define priorities.
 */
function findStarts(messages: readonly Message[]): void {
  const numbers = new Map(messages.map((message, number) => [message, number]));
  const below = new Set(messages.flatMap(({ next }) => next));
  const ready = [...messages.keys()].filter((number) => !below.has(messages[number]));
  const busyUntil = new Map<number, number>();
  // Events: ends of messages, and of occupations of links or ports (−1).
  const ends = new KeyedHeap();
  for (let now = 0; ready.length > 0 || ends.length > 0; now = ends.minKey) {
    const soon = now * (1 + rounding);
    while (ends.minKey <= soon) {
      const ended = ends.pop();
      if (ended >= 0) ready.push(...messages[ended].next.map((message) => numbers.get(message) ?? 0));
    }
    ready.sort((a, b) => messages[b].remaining - messages[a].remaining || a - b);
    let waiting = 0;
    for (const number of ready) {
      const { resources, busy, duration } = messages[number];
      if (resources.some((resource) => (busyUntil.get(resource) ?? 0) > soon)) {
        ready[waiting++] = number;
        continue;
      }
      messages[number].start = now;
      resources.forEach((resource, i) => {
        busyUntil.set(resource, now + busy[i]);
        if (busy[i] < duration) ends.push(now + busy[i], -1);
      });
      ends.push(now + duration, number);
    }
    ready.length = waiting;
  }
}

function inSteps(messages: readonly Message[]): Steps {
  const builder = new StepsBuilder();
  let time = Number.NEGATIVE_INFINITY;
  // Stable sorting keeps messages of equal time in the order of trees.
  for (const message of messages.filter(({ count }) => count > 0).sort((a, b) => a.start - b.start)) {
    const { from, to, channel, offset, count, start } = message;
    if (start > time) builder.endStep();
    time = start;
    const ends = { source: from, destination: to, channel };
    builder.startTransfer({ ...ends, kind: 'copy', origin: undefined, order: 'held-first' });
    builder.addPiece(data, offset, data, offset, count);
  }
  return builder.build();
}
