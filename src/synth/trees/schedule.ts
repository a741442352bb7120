/** Schedules of packed trees: chunks of a root are shared out among its trees, and travel along them edge by edge. */
import { KeyedHeap } from '../../cost/keyed-heap.ts';
import { type Collective, collectiveFacts } from '../../ir/collective.ts';
import { type Schedule, StepsBuilder, scheduleBuffers, type TransferKind } from '../../ir/schedule.ts';
import { rounding } from '../../ir/units.ts';
import { greatestCommonDivisor, leastCommonMultiple } from '../../ir/whole-numbers.ts';
import type { Arc } from '../arcs.ts';
import { mostChunks } from '../list/places.ts';
import type { Tree } from './pack.ts';
import type { Packing } from './packing.ts';

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

/** Chunks that go over one edge of a tree. */
interface Message {
  readonly kind: TransferKind;
  readonly from: number;
  readonly to: number;
  readonly offset: number;
  readonly count: number;
  /** When it starts: messages of one time are a step. */
  start: number;
}

/** What messages of a channel between two ranks keep busy. */
export type ArcsOf = (from: number, to: number, channel: number) => Arc | undefined;

/** A message that keeps links and ports busy for some time. */
interface Use extends Message {
  readonly resources: readonly number[];
  /** Of each resource, in seconds for the amount of the tree. */
  readonly busy: readonly number[];
  readonly duration: number;
  /** From its start until the last node below has everything. */
  remaining: number;
  /** What its arrival makes possible. */
  readonly next: Use[];
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
  arcs: ArcsOf,
  firstChannel: number,
): Schedule {
  const { kind, ranks, chunks } = collective;
  const amounts = amountsOf(packing.trees);
  const given = new Float64Array(ranks);
  const used = new Int32Array(ranks * ranks).fill(firstChannel);
  const arcOf = (from: number, to: number): Arc | undefined => arcs(from, to, used[from * ranks + to]++);
  const uses = packing.trees.flatMap((tree) => {
    const { root, amount } = tree;
    const chunkAt = (before: number): number => Math.round((chunks * before) / (amounts.get(root) ?? 1));
    const first = chunkAt(given[root]);
    given[root] += amount;
    const offset = first + (collectiveFacts[kind].sharded ? root * chunks : 0);
    return usesOf(tree, arcOf, offset, chunkAt(given[root]) - first);
  });
  findStarts(uses);
  return written(name, collective, uses, firstChannel);
}

function usesOf(
  { amount, edges }: Tree,
  arcOf: (from: number, to: number) => Arc | undefined,
  offset: number,
  count: number,
): Use[] {
  const useInto = new Map<number, Use>();
  for (const { from, to } of edges) {
    const { resources = [], secondsPerByte = [] } = arcOf(from, to) ?? {};
    const busy = secondsPerByte.map((seconds) => seconds * amount);
    const message: Message = { kind: 'copy', from, to, offset, count, start: 0 };
    const use: Use = { ...message, resources, busy, duration: Math.max(0, ...busy), remaining: 0, next: [] };
    useInto.get(from)?.next.push(use);
    useInto.set(to, use);
  }
  const uses = [...useInto.values()];
  for (const use of [...uses].reverse()) {
    use.remaining = use.next.reduce((most, after) => Math.max(most, after.remaining), 0) + use.duration;
  }
  return uses;
}

/**
 * When each edge is used, if messages take turns on links and ports: list scheduling with the longest remaining way first (Hu 1961;
 * Graham 1969). Plans run asynchronously; the times only say who goes first where several could.
 */
function findStarts(uses: readonly Use[]): void {
  const numbers = new Map(uses.map((use, number) => [use, number]));
  const below = new Set(uses.flatMap(({ next }) => next));
  const ready = [...uses.keys()].filter((number) => !below.has(uses[number]));
  const busyUntil = new Map<number, number>();
  // Ends of messages, and of the time that a link or port is busy (−1).
  const ends = new KeyedHeap();
  for (let now = 0; ready.length > 0 || ends.length > 0; now = ends.leastKey) {
    const soon = now * (1 + rounding);
    while (ends.leastKey <= soon) {
      const ended = ends.pop();
      if (ended >= 0) ready.push(...uses[ended].next.map((use) => numbers.get(use) ?? 0));
    }
    ready.sort((a, b) => uses[b].remaining - uses[a].remaining || a - b);
    let waiting = 0;
    for (const number of ready) {
      const { resources, busy, duration } = uses[number];
      if (resources.some((resource) => (busyUntil.get(resource) ?? 0) > soon)) {
        ready[waiting++] = number;
        continue;
      }
      uses[number].start = now;
      resources.forEach((resource, i) => {
        busyUntil.set(resource, now + busy[i]);
        if (busy[i] < duration) ends.push(now + busy[i], -1);
      });
      ends.push(now + duration, number);
    }
    ready.length = waiting;
  }
}

/**
 * The allreduce that reduces a part of the data up each tree and sends the result down the same tree: step h − d + 1 reduces over the
 * edges of depth d of a tree of height h, step h + d copies back over them.
 *
 * @param collective an allreduce whose C is a multiple of the number of trees
 */
export function twoWaySchedule(name: string, trees: readonly Tree[], collective: Collective): Schedule {
  const count = collective.chunks / trees.length;
  const messages = trees.flatMap(({ edges }, index) => {
    const height = edges[edges.length - 1].depth;
    const part = { offset: index * count, count };
    return edges.flatMap(({ from, to, depth }): Message[] => [
      { kind: 'reduce', from: to, to: from, ...part, start: height - depth + 1 },
      { kind: 'copy', from, to, ...part, start: height + depth },
    ]);
  });
  return { ...written(name, collective, messages, 0), commutative: true };
}

/** Every tree has a channel of its own on each connection, so that data never stands in line behind data that comes later, also from one bulk to the next. */
function written(name: string, collective: Collective, messages: readonly Message[], firstChannel: number): Schedule {
  const { ranks } = collective;
  const used = new Int32Array(ranks * ranks).fill(firstChannel);
  const channels = messages.map(({ from, to }) => used[from * ranks + to]++);
  const sent = [...messages.keys()].filter((index) => messages[index].count > 0);
  const builder = new StepsBuilder();
  let time = Number.NEGATIVE_INFINITY;
  for (const index of sent.sort((a, b) => messages[a].start - messages[b].start || a - b)) {
    const { kind, from, to, offset, count, start } = messages[index];
    if (start > time) builder.endStep();
    time = start;
    const transfer = { kind, source: from, destination: to, channel: channels[index], origin: undefined };
    builder.startTransfer({ ...transfer, order: 'held-first' });
    builder.addPiece(data, offset, data, offset, count);
  }
  return { name, collective, scratch: 0, commutative: false, ring: false, steps: builder.build() };
}
