/** Explains a read of memory that nothing has written yet. */

import { type CellMemory, slotName } from '../../ir/cell-memory.ts';
import type { PlanIndex } from '../../ir/plan-index.ts';
import { type FindingText, nameOf, storyLineOf } from './findings.ts';

/** An uninitialised read: the operation, the cell that it reads, and an operation that fills the cell later, if any. */
export interface UninitialisedRead {
  readonly operation: number;
  readonly cell: number;
  readonly filler: number | undefined;
}

export function describeEarlyRead(
  index: PlanIndex,
  memory: CellMemory,
  { operation, cell, filler }: UninitialisedRead,
): FindingText {
  const slot = slotName(memory, index.plan, index.rankOf[operation], cell);
  const why = filler === undefined ? 'nothing fills it' : `it is filled only later, by ${nameOf(index, filler)}`;
  return {
    message: `${nameOf(index, operation)} reads ${slot}, which holds nothing yet: ${why}.`,
    story: [
      storyLineOf(index, operation, `reads ${slot}`),
      ...(filler === undefined ? [] : [storyLineOf(index, filler, `fills ${slot}`)]),
    ],
  };
}
