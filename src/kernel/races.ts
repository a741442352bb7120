/** No data race in any interleaving: two accesses to a cell, one of them a write, are ordered. Neighbours along one run are enough. */
import type { Order } from './order.ts';
import { need } from './plan.ts';

type Question = readonly [x: number, y: number];
/** What is to be asked about each rank's memory: is node x before node y in every run? Operations of one lane are in order. */
function questionsOf(order: Order): Question[][] {
  const { ops, scratchPerBulk, laneOf, source, target, size, count, width, begin, end, happening } = order;
  const questions = order.buffers.map((): Question[] => []);
  const ask = (x: number, y: number): void => {
    const [earlier, later, asked] = [width * x + end, width * y + begin, questions[order.rankOf[y % count]]];
    const [last0, last1] = asked.at(-1) ?? [];
    if (x < 0 || laneOf[x % count] === laneOf[y % count] || (last0 === earlier && last1 === later)) return;
    asked.push([earlier, later]);
  };
  /** By cell its last write, and its last read since: read r is by event `reader[r]`, and the one before it is `older[r]`. */
  const [lastWrite, lastRead] = [0, 1].map(() => new Int32Array(order.cells).fill(-1));
  const [reader, older] = [0, 1].map(() => new Int32Array(order.touched * (happening.length > count ? 2 : 1)));
  let reads = 0;
  for (const y of happening) {
    const o = y % count;
    // What later bulks touch is other memory, but for the copy of scratch that is used again.
    const meets = (buffer: number): boolean => y < count || (buffer === 2 && y >= scratchPerBulk * count);
    const isRead = ops.kind[o] < 3 && meets(ops.srcBuffer[o]);
    for (let cell = source[o]; isRead && cell < source[o] + size[o]; cell++) {
      ask(lastWrite[cell], y);
      [reader[reads], older[reads]] = [y, lastRead[cell]];
      lastRead[cell] = reads++;
    }
    const isWritten = ops.kind[o] !== 2 && meets(ops.dstBuffer[o]); // a reduction reads it too, but asks no more for that
    for (let cell = target[o]; isWritten && cell < target[o] + size[o]; cell++) {
      if (lastRead[cell] < 0) ask(lastWrite[cell], y);
      for (let read = lastRead[cell]; read >= 0; read = older[read]) ask(reader[read], y);
      [lastWrite[cell], lastRead[cell]] = [y, -1];
    }
  }
  return questions;
}
export function checkRaces(order: Order): void {
  const { run, first, before, count, width, rankOf } = order;
  const questions = questionsOf(order);
  const nodesOf = questions.map((): number[] => []);
  for (const node of run) nodesOf[rankOf[Math.floor(node / width) % count]].push(node);
  const [place, marks] = [new Int32Array(run.length), new Int32Array(run.length)];
  let [steps, open]: [number, Question[]] = [0, []];
  // What a rank does by itself answers nearly all, and the whole run the rest.
  for (const [rank, nodes] of [...nodesOf, run].entries()) {
    for (let i = 0; i < nodes.length; i++) place[nodes[i]] = i;
    const asked = (questions[rank] ?? open).sort((a, b) => place[a[0]] - place[b[0]]);
    if (rank === questions.length) open = [];
    for (let q = 0; q < asked.length; q += 32) {
      const some = asked.slice(q, q + 32); // bit b marks the x of the b-th of these, and whatever comes after something marked
      const start = place[some[0][0]];
      const end = some.reduce((most, [, y]) => Math.max(most, place[y] + 1), start);
      steps += end - start;
      need(steps <= 2 ** 32, 'to look for races takes more than 2 ** 32 steps', 'limit');
      marks.fill(0, start, end);
      for (const [b, [x]] of some.entries()) marks[place[x]] |= 1 << b;
      for (let i = start; i < end; i++) {
        for (let e = first[nodes[i]]; e < first[nodes[i] + 1]; e++) {
          const earlier = place[before[e]];
          if (earlier >= start && nodes[earlier] === before[e]) marks[i] |= marks[earlier];
        }
      }
      open.push(...some.filter(([, y], b) => (marks[place[y]] & (1 << b)) === 0));
    }
  }
  const [x, y] = open[0]?.map((node) => Math.floor(node / width)) ?? [];
  need(x === undefined, `is not ordered with event ${x}, an access to the same memory`, 'race', y % count);
}
