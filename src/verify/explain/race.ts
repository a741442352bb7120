/** Explains a data race by its two accesses, and says which dependency would order them. */

import { type CellMemory, slotName } from '../../ir/cell-memory.ts';
import { isSend } from '../../ir/plan.ts';
import type { HappensBefore } from '../order/happens-before.ts';
import type { Ownership } from '../ownership.ts';
import { type FindingText, nameOf, storyLineOf } from './findings.ts';

/** Two accesses to a cell, one of them a write, that nothing orders. */
export interface DataRace {
  readonly happens: HappensBefore;
  readonly memory: CellMemory;
  readonly ownership: Ownership;
  /** Operations, in the order in which the examined run executes them. */
  readonly earlier: number;
  readonly later: number;
  readonly cell: number;
  /** Number of bulks from the earlier access to the later one. */
  readonly bulks: number;
}

const missingOrder: Readonly<Record<Ownership, string>> = {
  event: 'nothing orders the two',
  strict: 'the second may be posted before their rank knows that the first is complete (strict ownership)',
};

export function describeRace({ happens, memory, ownership, earlier, later, cell, bulks }: DataRace): FindingText {
  const { index } = happens;
  const { plan, rankOf, laneOf } = index;
  // Within a bulk the accesses may happen in either order. The author of the schedule meant the one with the lower step to be first.
  const isSwapped = ownership === 'event' && bulks === 0 && plan.ops.step[later] < plan.ops.step[earlier];
  const [first, second] = isSwapped ? [later, earlier] : [earlier, later];
  const slot = slotName(memory, plan, rankOf[first], cell);
  const access = (operation: number): string => (writes(happens, memory, operation, cell) ? 'writes' : 'reads');
  const lane = laneOf[first];
  const dependency = [plan.laneId[lane], first - plan.firstOp[lane], ...(bulks === 0 ? [] : [bulks])].join(', ');
  const when = bulks === 0 ? '' : `, ${bulks === 1 ? 'one bulk' : `${bulks} bulks`} later,`;
  return {
    message:
      `${nameOf(index, first)} ${access(first)} ${slot}, which ${nameOf(index, second)}${when} ${access(second)}: ` +
      `${missingOrder[ownership]}. A dependency "after": [[${dependency}]] on the second would.`,
    story: [
      storyLineOf(index, first, `${access(first)} ${slot}`),
      storyLineOf(index, second, `${access(second)} ${slot}, perhaps earlier`, bulks),
    ],
  };
}

function writes(happens: HappensBefore, memory: CellMemory, operation: number, cell: number): boolean {
  const { plan } = happens.index;
  const first = memory.targetCell[operation];
  return !isSend(plan, operation) && first <= cell && cell < first + plan.ops.dstCount[operation];
}
