/**
 * No data race in any interleaving: two accesses to a cell, one of them a write, must be ordered. Along one run it is enough to ask about
 * neighbours: a read and the write before it, a write and the reads since the write before it, or that write. Under strict ownership an
 * operation owns its slices from its posting until its rank knows it to be done: the first and last edge between two must be local.
 */
import type { Memory } from './form.ts';
import type { Order } from './order.ts';
import { need } from './plan.ts';

export type Ownership = 'event' | 'strict';
/** Is x, which the run has first, before y in every run? */
type Question = readonly [x: number, y: number];

/** @throws Refusal 'race', or 'limit' where it would take too long to decide */
export function checkRaces(order: Order, memory: Memory, run: Int32Array, ownership: Ownership): void {
  const { count, plan, events, twinOf } = order;
  const [lanes, unordered] = [new Int32Array(events), sweeper(order)];
  for (let start = 0; start < events; start += count) lanes.set(memory.laneOf, start);
  const byRank = plan.buffers.map((): number[] => []);
  for (const event of run) byRank[memory.rankOf[event % count]].push(event);
  let open = byRank.flatMap((own, rank) => unordered(questionsOf(rank, own, order, memory), own, lanes, 'local'));
  // A receive that is one event with its send is before whatever the send is before.
  const head = (x: number): number => (plan.ops.kind[x % count] > 2 && twinOf(x) >= 0 ? twinOf(x) : x);
  if (open.length === 0) return;
  if (ownership === 'event') open = open.map(([x, y]) => [head(x), y]);
  open = unordered(open, run, ownership === 'event' ? chainsOf(order, run) : lanes, ownership);
  for (const [x, y] of open)
    need(false, `is not ordered with event ${x}, an access to the same memory`, 'race', y % count);
}

/** What is to be asked about a rank's memory; what its lanes and direct waits answer is left out. */
function questionsOf(rank: number, run: readonly number[], order: Order, memory: Memory): Question[] {
  const { count, before, first, local, plan } = order;
  const { laneOf, source, target, ends } = memory;
  const base = ends[rank - 1] ?? 0;
  /** By cell its last write, and the newest of the reads since, each of which leads to the one before. */
  const [lastWrite, lastRead] = [0, 1].map(() => new Int32Array(ends[rank] - base).fill(-1));
  const [reads, questions]: [number[], Question[]] = [[], []];
  const ask = (x: number, y: number): void => {
    const [lane, last] = [laneOf[x % count], questions.at(-1)];
    if (x < 0 || lane === laneOf[y % count] || (last?.[0] === x && last[1] === y)) return;
    for (let e = first[y]; e < local[y]; e++) if (before[e] >= x && laneOf[before[e] % count] === lane) return;
    questions.push([x, y]);
  };
  for (const y of run) {
    const [o, bulk, { ops }] = [y % count, Math.floor(y / count), plan];
    // What later bulks touch is other memory, but for the copy of scratch that is used again.
    const meets = (buffer: number): boolean => bulk === 0 || (buffer === 2 && bulk === plan.scratchPerBulk);
    for (let i = 0, cell = source[o] - base; i < ops.srcCount[o] && meets(ops.srcBuffer[o]); i++, cell++) {
      ask(lastWrite[cell], y);
      lastRead[cell] = reads.push(y, lastRead[cell]) - 2;
    }
    // A reduction reads what it writes: asking about the write is enough.
    for (let i = 0, cell = target[o] - base; i < ops.dstCount[o] && meets(ops.dstBuffer[o]); i++, cell++) {
      if (lastRead[cell] < 0) ask(lastWrite[cell], y);
      for (let read = lastRead[cell]; read >= 0; read = reads[read + 1]) ask(reads[read], y);
      [lastWrite[cell], lastRead[cell]] = [y, -1];
    }
  }
  return questions;
}

/**
 * Finds the questions to which the answer is no: for each chain that they ask about, a pass over the run tells of each event how far the
 * chain has certainly come before it. In a chain every event is before the next; with `local` only paths of lane order and `after` count.
 */
function sweeper({ plan, events, count, first, local, before, twinOf }: Order) {
  const at = new Int32Array(events);
  let steps = 0;
  return (asked: Question[], run: ArrayLike<number>, chainOf: Int32Array, edges: Ownership | 'local'): Question[] => {
    const open: Question[] = [];
    for (let i = 0; i < run.length && asked.length > 0; i++) at[run[i]] = i;
    asked.sort(([x, y], [v, w]) => chainOf[x] - chainOf[v] || at[y] - at[w]);
    for (let end = 0, start = 0; start < asked.length; start = end) {
      const chain = chainOf[asked[start][0]];
      let from = run.length;
      while (end < asked.length && chainOf[asked[end][0]] === chain) from = Math.min(from, at[asked[end++][0]]);
      const known = new Int32Array(at[asked[end - 1][1]] + 1 - from).fill(-1);
      steps += known.length;
      need(steps <= 2 ** 32, 'to look for races takes more than 2 ** 32 steps', 'limit');
      /** @param areDone whether what is before is known to be complete itself, not only what was before it */
      const learn = (i: number, e: number, last: number, areDone: boolean): void => {
        for (let edge = e; edge < last; edge++) {
          const place = at[before[edge]];
          if (place >= from && known[place - from] > known[i]) known[i] = known[place - from];
          if (areDone && chainOf[before[edge]] === chain && place > known[i]) known[i] = place;
        }
      };
      for (let i = 0, next = start; i < known.length; i++) {
        const event = run[from + i];
        learn(i, first[event], edges === 'event' ? first[event + 1] : local[event], true);
        for (; next < end && asked[next][1] === event; next++)
          if (known[i] < at[asked[next][0]]) open.push(asked[next]);
        // A send that is one event with its receive has also what that waits for.
        const isJoint = plan.ops.kind[event % count] === 2 && twinOf(event) >= 0;
        if (edges === 'strict') learn(i, local[event], first[event + 1], isJoint);
      }
    }
    return open;
  };
}

/** Every event goes on with the chain of something that it waits for, if it can. */
function chainsOf({ first, before }: Order, run: Int32Array): Int32Array {
  const [chainOf, ends]: [Int32Array, number[]] = [new Int32Array(run.length), []];
  for (const event of run) {
    const last = before.subarray(first[event], first[event + 1]).find((one) => ends[chainOf[one]] === one);
    chainOf[event] = last === undefined ? ends.length : chainOf[last];
    ends[chainOf[event]] = event;
  }
  return chainOf;
}
