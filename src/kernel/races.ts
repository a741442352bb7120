/**
 * No data race in any interleaving: two accesses to a cell, one of them a write, must be ordered. Along one run it is enough to ask about
 * neighbours: a read and the write before it, a write and the reads since the write before it, or that write.
 */
import type { Memory } from './form.ts';
import type { Order } from './order.ts';
import { Lists, need } from './plan.ts';

/** Is event x before event y in every run? The run has x first. */
type Question = readonly [x: number, y: number];

/**
 * @param isStrict whether an operation owns its slices from its posting until it is done, or only while it happens
 * @throws Refusal 'race', or 'limit' where it would take too long to decide
 */
export function checkRaces(order: Order, memory: Memory, isStrict: boolean): void {
  const { run, count, plan } = order;
  const unordered = sweeper(order, isStrict ? 2 : 1, isStrict ? 0 : 1);
  const byRank = plan.buffers.map((): number[] => []);
  for (const node of run) byRank[memory.rankOf[Math.floor(node / 3) % count]].push(node);
  // What a rank does by itself answers nearly all.
  const open = questionsOf(order, memory).flatMap((asked, rank) => unordered(asked, byRank[rank]));
  for (const [x, y] of unordered(open, run)) {
    need(false, `is not ordered with event ${x}, an access to the same memory`, 'race', y % count);
  }
}

/** What is to be asked about each rank's memory; what its lanes answer is left out. */
function questionsOf({ plan, count, happening }: Order, memory: Memory): Question[][] {
  const [{ ops }, { laneOf, rankOf, source, target, size }] = [plan, memory];
  const questions = plan.buffers.map((): Question[] => []);
  const ask = (x: number, y: number): void => {
    const asked = questions[rankOf[y % count]];
    const isNew = asked.at(-1)?.[0] !== x || asked.at(-1)?.[1] !== y;
    if (x >= 0 && isNew && laneOf[x % count] !== laneOf[y % count]) asked.push([x, y]);
  };
  /** By cell its last write, and the reads since. */
  const lastWrite = new Int32Array(memory.cells).fill(-1);
  const reads = new Lists(memory.cells, happening.length > count ? 2 * memory.touched : memory.touched);
  for (const y of happening) {
    const o = y % count;
    // What later bulks touch is other memory, but for the copy of scratch that is used again.
    const meets = (buffer: number): boolean => y < count || (buffer === 2 && y >= plan.scratchPerBulk * count);
    const isRead = ops.kind[o] < 3 && meets(ops.srcBuffer[o]);
    for (let cell = source[o]; isRead && cell < source[o] + size[o]; cell++) {
      ask(lastWrite[cell], y);
      reads.add(cell, y);
    }
    // A reduction reads what it writes: asking about the write is enough.
    const isWritten = ops.kind[o] !== 2 && meets(ops.dstBuffer[o]);
    for (let cell = target[o]; isWritten && cell < target[o] + size[o]; cell++) {
      if (reads.newest[cell] < 0) ask(lastWrite[cell], y);
      for (let read = reads.newest[cell]; read >= 0; read = reads.older[read]) ask(reads.value[read], y);
      lastWrite[cell] = y;
      reads.newest[cell] = -1;
    }
  }
  return questions;
}

/**
 * Finds the questions to which no path through some nodes, given in the order of the run, says yes. The nodes fall into chains in which each
 * is before the next. For each chain that is asked about, a pass tells of every node how far the chain has certainly come by then.
 * @param from which node of x, and `to` which of y, a path has to lead from and to
 */
function sweeper({ after: { newest, value, older }, run }: Order, from: number, to: number) {
  const at = new Int32Array(run.length);
  let steps = 0;
  return (asked: readonly Question[], nodes: ArrayLike<number>): Question[] => {
    if (asked.length === 0) return [];
    for (let i = 0; i < nodes.length; i++) at[nodes[i]] = i;
    const [chainOf, chains]: [Int32Array, Question[][]] = [new Int32Array(nodes.length).fill(-1), []];
    for (let i = 0; i < nodes.length; i++) {
      if (chainOf[i] < 0) chainOf[i] = chains.push([]) - 1;
      let heir = -1;
      for (let edge = newest[nodes[i]]; edge >= 0; edge = older[edge]) {
        const place = at[value[edge]];
        if (nodes[place] === value[edge] && chainOf[place] < 0) heir = place;
      }
      if (heir >= 0) chainOf[heir] = chainOf[i];
    }
    for (const question of asked) chains[chainOf[at[3 * question[0] + from]]].push(question);
    return chains.flatMap((questions, chain) => {
      const start = questions.reduce((least, [x]) => Math.min(least, at[3 * x + from]), nodes.length);
      const end = questions.reduce((most, [, y]) => Math.max(most, at[3 * y + to] + 1), start);
      steps += end - start;
      need(steps <= 2 ** 32, 'to look for races takes more than 2 ** 32 steps', 'limit');
      const known = new Int32Array(end - start).fill(-1);
      for (let i = start; i < end; i++) {
        if (chainOf[i] === chain) known[i - start] = i;
        const reach = known[i - start];
        for (let edge = reach < 0 ? -1 : newest[nodes[i]]; edge >= 0; edge = older[edge]) {
          const place = at[value[edge]];
          if (nodes[place] === value[edge] && known[place - start] < reach) known[place - start] = reach;
        }
      }
      return questions.filter(([x, y]) => !(known[at[3 * y + to] - start] >= at[3 * x + from]));
    });
  };
}
