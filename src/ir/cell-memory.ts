/** The memory of a plan as one row of cells, and the cells that each operation touches. */

import type { Collective } from './collective.ts';
import { memoryLayout } from './collective.ts';
import { CccError } from './diagnostic.ts';
import { intAt, itemAt } from './indexing.ts';
import { isReceive, isSend, type Plan, type planBuffers } from './plan.ts';
import type { PlanIndex } from './plan-index.ts';

/**
 * One bulk's memory of all ranks as one row of cells: rank after rank, input and output (which overlap in place),
 * then one copy of scratch.
 */
export interface CellMemory {
  /** Rank r owns the cells `firstCell[r] … firstCell[r + 1] − 1`; N + 1 entries. */
  readonly firstCell: Int32Array;
  /** Cell of slot 0 of each buffer. */
  readonly input: Int32Array;
  readonly output: Int32Array;
  readonly scratch: Int32Array;
  /** First cell of each operation's source and destination; 0 and without meaning if it has none. */
  readonly sourceCell: Int32Array;
  readonly targetCell: Int32Array;
}

/**
 * Lays out the cells of a plan whose buffers have the sizes that its collective requires.
 * @param limit max number of cells, and of cells that all operations touch
 * @throws CccError 'limit' for a plan that exceeds it
 */
export function layOutCells(index: PlanIndex, limit = Number.POSITIVE_INFINITY): CellMemory {
  const { plan, rankOf } = index;
  const ranks = plan.buffers.length;
  const firstCell = new Int32Array(ranks + 1);
  const starts = [new Int32Array(ranks), new Int32Array(ranks), new Int32Array(ranks)] as const;
  let cells = 0;
  for (let rank = 0; rank < ranks; rank++) {
    const window = memoryLayout(plan.collective, rank);
    starts[0][rank] = cells + window.input;
    starts[1][rank] = cells + window.output;
    starts[2][rank] = cells + window.cells;
    cells += window.cells + itemAt(plan.buffers, rank).scratch;
    if (cells > limit) throw tooLarge(`its buffers hold more than ${limit} chunks in all`, plan.collective);
    firstCell[rank + 1] = cells;
  }
  const { ops } = plan;
  const sourceCell = new Int32Array(ops.kind.length);
  const targetCell = new Int32Array(ops.kind.length);
  let touched = 0;
  for (let o = 0; o < ops.kind.length; o++) {
    const rank = intAt(rankOf, o);
    touched += intAt(ops.srcCount, o) + intAt(ops.dstCount, o);
    if (!isReceive(plan, o))
      sourceCell[o] = intAt(itemAt(starts, intAt(ops.srcBuffer, o)), rank) + intAt(ops.srcOffset, o);
    if (!isSend(plan, o))
      targetCell[o] = intAt(itemAt(starts, intAt(ops.dstBuffer, o)), rank) + intAt(ops.dstOffset, o);
  }
  if (touched > limit) throw tooLarge(`its operations touch more than ${limit} chunks in all`, plan.collective);
  return { firstCell, input: starts[0], output: starts[1], scratch: starts[2], sourceCell, targetCell };
}

function tooLarge(what: string, collective: Collective): CccError {
  const size = `${collective.kind}, ${collective.ranks} ranks, C = ${collective.chunks}`;
  return new CccError(
    'limit',
    `The plan (${size}) is too large to verify: ${what}, the limit slots (--limit slots=… raises it).`,
  );
}

/** The name of a cell for messages, such as `output[3]`; a cell that input and output share in place is named after the output. */
export function slotName(memory: CellMemory, plan: Plan, rank: number, cell: number): string {
  const buffers = itemAt(plan.buffers, rank);
  for (const buffer of ['output', 'input', 'scratch'] as const satisfies readonly (typeof planBuffers)[number][]) {
    const slot = cell - intAt(memory[buffer], rank);
    if (slot >= 0 && slot < buffers[buffer]) return `${buffer}[${slot}]`;
  }
  return `cell ${cell - intAt(memory.firstCell, rank)}`;
}
