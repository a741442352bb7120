/**
 * A message is not copied when it is sent: the receiver takes it from where it lies. Its sender may go on at once, but must not overwrite the
 * source before it is delivered. These are the writes that have to look.
 *
 * Whether a write comes before or after a send that reads the same slot need not be known: a proved plan orders them, so that when the write
 * is ready the send either has happened, and its delivery is waited for, or cannot happen until the write has.
 */
import { memoryLayout } from '../ir/collective.ts';
import { OperationCode, type Plan, planBuffers } from '../ir/plan.ts';

export interface Guards {
  /** `first[operation]`, one more than operations: the operation's entries in the other columns. */
  readonly first: Int32Array;
  readonly send: Int32Array;
  /** Bulks that the send lies back: 0, and for scratch also the number of copies of it, since that many bulks later it is used again. */
  readonly lag: Int32Array;
}

const scratchCode = planBuffers.indexOf('scratch');

/** Pairs of a write and a send that touch the same cell of a rank's memory, each once. */
export function findGuards(plan: Plan, rankOf: Int32Array): Guards {
  const { ops, firstLane, firstOp, bulks, scratchPerBulk } = plan;
  const first = new Int32Array(rankOf.length + 1);
  const send: number[] = [];
  const lag: number[] = [];
  for (let rank = 0; rank + 1 < firstLane.length; rank++) {
    const { input, output, cells } = memoryLayout(plan.collective, rank);
    const bases = [input, output, cells];
    const begin = firstOp[firstLane[rank]];
    const end = firstOp[firstLane[rank + 1]];
    const readers: number[][] = [];
    for (let o = begin; o < end; o++) {
      if (ops.kind[o] !== OperationCode.send) continue;
      const cell = bases[ops.srcBuffer[o]] + ops.srcOffset[o];
      for (let i = cell; i < cell + ops.srcCount[o]; i++) {
        readers[i] ??= [];
        readers[i].push(o);
      }
    }
    for (let o = begin; o < end; o++) {
      if (ops.kind[o] !== OperationCode.send) {
        const cell = bases[ops.dstBuffer[o]] + ops.dstOffset[o];
        const found = new Set<number>();
        for (let i = cell; i < cell + ops.dstCount[o]; i++) for (const reader of readers[i] ?? []) found.add(reader);
        for (const reader of found) {
          send.push(reader);
          lag.push(0);
          if (ops.dstBuffer[o] !== scratchCode || bulks <= scratchPerBulk) continue;
          send.push(reader);
          lag.push(scratchPerBulk);
        }
      }
      first[o + 1] = send.length;
    }
  }
  return { first, send: Int32Array.from(send), lag: Int32Array.from(lag) };
}
