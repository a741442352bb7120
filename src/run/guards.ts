/**
 * Guards against overwriting messages. A message is not copied when it is sent: the receiver reads it from the sender's memory. The sender continues
 * at once, but must not overwrite the source before the message is received. The guards are the pairs of a write and a send for which this must be
 * checked.
 *
 * It need not be known whether the write comes before or after the send: a proved plan orders them. So when the write is ready, either the send has
 * happened, and the write waits for its delivery, or the send cannot happen before the write.
 */
import { memoryLayout } from '../ir/collective.ts';
import { OperationCode, type Plan, planBuffers } from '../ir/plan.ts';

export interface Guards {
  /** The entries of operation o in the other columns are `first[o] … first[o + 1] − 1`. */
  readonly first: Int32Array;
  readonly send: Int32Array;
  /** By how many bulks the send precedes the write: 0 or, for scratch, the number of its copies, since the memory is reused after that many bulks. */
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
