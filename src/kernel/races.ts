/**
 * No data race in any interleaving: two accesses to a cell, one of them a write, must be ordered. Along one run it is enough to ask about
 * neighbours: a read and the write before it, a write and the reads since the write before it, or that write. Under strict ownership an
 * operation owns its slices from its posting until its rank knows it to be done: the first and last edge between two must be local.
 */
import type { Memory } from './form.ts';
import type { Order } from './order.ts';
import { Refusal } from './plan.ts';

export type Ownership = 'event' | 'strict';

/** Chains that one sweep follows, and the steps (events × chains) after which the kernel gives up. */
const width = 8;
const mostSteps = 2 ** 32;

/** Questions `[x, y]`: is x, which the run has first, before y in every run? */
type Questions = (readonly [number, number])[];

/** @throws Refusal 'race', or 'limit' where it would take too long to decide */
export function checkRaces(order: Order, memory: Memory, run: Int32Array, ownership: Ownership): void {
  const byRank = order.plan.buffers.map((): number[] => []);
  for (const event of run) byRank[order.rankOf[event % order.count]].push(event);
  const lanes = (event: number): number => order.laneOf[event % order.count];
  const unordered = sweeper(order);
  const open = byRank.flatMap((events, rank) => {
    return [...unordered(events, questionsOf(rank, events, order, memory), lanes, 'local')];
  });
  for (const [x, y] of unordered(run, open, ownership === 'strict' ? lanes : chainsOf(order, run), ownership)) {
    throw new Refusal('race', `nothing orders ${order.name(x)} and ${order.name(y)}, which use the same memory`);
  }
}

/** What is to be asked about a rank's memory; what its lanes and direct waits answer is left out. */
function questionsOf(rank: number, events: readonly number[], order: Order, memory: Memory): Questions {
  const { laneOf, count, before } = order;
  const { ops, scratchPerBulk } = order.plan;
  /** By cell: its last write, and the newest entry of those that have read it since, which leads to older ones. */
  const lastWrite = new Int32Array(memory.first[rank + 1] - memory.first[rank]).fill(-1);
  const lastRead = lastWrite.slice();
  const [readers, olderReader, questions]: [number[], number[], Questions] = [[], [], []];
  const ask = (x: number, y: number): void => {
    const [lane, last] = [laneOf[x % count], questions.at(-1)];
    if (x < 0 || lane === laneOf[y % count] || (last?.[0] === x && last[1] === y)) return;
    for (let p = 0; p < order.locals; p++) if (before[p] >= x && laneOf[before[p] % count] === lane) return;
    questions.push([x, y]);
  };
  for (const event of events) {
    const o = event % count;
    order.predecessors(event);
    // What later bulks touch is other memory, but for the copy of scratch that is used again.
    const meets = (buffer: number): boolean => event === o || (event - o === scratchPerBulk * count && buffer === 2);
    const reads = ops.kind[o] < 3 && meets(ops.srcBuffer[o]) ? ops.srcCount[o] : 0;
    for (let i = 0, cell = memory.source[o] - memory.first[rank]; i < reads; i++, cell++) {
      ask(lastWrite[cell], event);
      readers.push(event);
      lastRead[cell] = olderReader.push(lastRead[cell]) - 1;
    }
    // A reduction reads what it writes: asking about the write is enough.
    const writes = ops.kind[o] !== 2 && meets(ops.dstBuffer[o]) ? ops.dstCount[o] : 0;
    for (let i = 0, cell = memory.target[o] - memory.first[rank]; i < writes; i++, cell++) {
      if (lastRead[cell] < 0) ask(lastWrite[cell], event);
      for (let entry = lastRead[cell]; entry >= 0; entry = olderReader[entry]) ask(readers[entry], event);
      [lastWrite[cell], lastRead[cell]] = [event, -1];
    }
  }
  return questions;
}

/**
 * Answers questions exactly, yielding those whose answer is no: a pass over a run tells of each event how far some chains have certainly
 * come before it. In a chain every event is before the next; with `local` only paths of lane order and `after` count.
 */
function sweeper(order: Order) {
  const { inflight, count, before, plan } = order;
  const at = new Int32Array(order.events);
  const slotOf = new Int32Array(order.events + plan.laneId.length).fill(-1);
  let steps = 0;
  type ChainOf = (event: number) => number;
  return function* (run: ArrayLike<number>, questions: Questions, chainOf: ChainOf, edges: Ownership | 'local') {
    for (let i = 0; i < run.length && questions.length > 0; i++) at[run[i]] = i;
    questions.sort(([x], [y]) => at[x] - at[y]);
    const chains = [...new Set(questions.map(([x]) => chainOf(x)))];
    for (let group = 0; group < chains.length; group += width) {
      for (const [i, chain] of chains.entries()) slotOf[chain] = i >= group && i < group + width ? i - group : -1;
      const asked = questions.filter(([x]) => slotOf[chainOf(x)] >= 0);
      const from = at[asked[0][0]];
      const to = asked.sort(([, x], [, y]) => at[x] - at[y]).reduce((_, [, y]) => at[y], 0);
      steps += (to - from + 1) * width + questions.length + chains.length;
      if (steps > mostSteps) throw new Refusal('limit', `to look for races takes more than ${mostSteps} steps`);
      const known = new Int32Array((to - from + 1) * width).fill(-1);
      const isJoint = (event: number): boolean => inflight === 0 && plan.ops.kind[event % count] === 2;
      /** @param isDone whether the event that is told of is known to be complete, not only to have happened */
      const learn = (row: number, event: number, isDone: boolean): void => {
        const [source, slot] = [(at[event] - from) * width, slotOf[chainOf(event)]];
        for (let i = 0; source >= 0 && i < width; i++) known[row + i] = Math.max(known[row + i], known[source + i]);
        // Without buffers a send's receive is part of the event; the run has it next.
        const place = at[event] + (edges === 'event' && isJoint(event) ? 1 : 0);
        if (isDone && slot >= 0) known[row + slot] = Math.max(known[row + slot], place);
      };
      for (let i = from, next = 0; i <= to; i++) {
        order.predecessors(run[i]);
        const [row, locals, all] = [(i - from) * width, order.locals, before.length];
        for (let p = 0; p < (edges === 'event' ? all : locals); p++) learn(row, before[p], true);
        for (; next < asked.length && asked[next][1] === run[i]; next++) {
          if (known[row + slotOf[chainOf(asked[next][0])]] < at[asked[next][0]]) yield asked[next];
        }
        for (let p = locals; edges === 'strict' && p < all; p++) learn(row, before[p], isJoint(run[i]));
      }
    }
    for (const chain of chains) slotOf[chain] = -1;
  };
}

/** Every event goes on with the chain of something that it waits for, if it can. */
function chainsOf(order: Order, run: Int32Array): (event: number) => number {
  const [chainOf, ends]: [Int32Array, number[]] = [new Int32Array(run.length), []];
  for (const event of run) {
    order.predecessors(event);
    const last = order.before.find((one) => ends[chainOf[one]] === one);
    chainOf[event] = last === undefined ? ends.length : chainOf[last];
    ends[chainOf[event]] = event;
  }
  return (event) => chainOf[event];
}
