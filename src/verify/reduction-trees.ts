/**
 * Describes the tree by which each rank's results are combined. Floating-point results have the same bits whatever the size of the message if all
 * chunks use the same tree, and so do all plans that are used.
 */

import { layOutCells } from '../ir/cell-memory.ts';
import { collectiveFacts, expectation, isIdempotent, outputChunks } from '../ir/collective.ts';
import { defaultLimits } from '../ir/limits.ts';
import { operationCount, type Plan } from '../ir/plan.ts';
import { PlanIndex } from '../ir/plan-index.ts';
import { executeBulk, HappensBefore } from './order/happens-before.ts';
import { SymbolicRun } from './symbolic-run.ts';
import type { CombinationTable } from './values.ts';

/**
 * Describes the trees of a correct plan as one text: for each rank the tree by which all chunks of its output are combined, with ranks as leaves. x ⊕
 * y and y ⊕ x count as the same tree, since sums and products of IEEE 754 commute bit by bit. Plans with equal texts round equally.
 * @returns undefined if a rank combines two chunks of its output by different trees; '' if nothing rounds
 */
export function reductionTrees(plan: Plan, slots: number = defaultLimits.slots): string | undefined {
  const { collective } = plan;
  const rounds = !isIdempotent(collective.op) && collective.op !== 'xor';
  if (!rounds || !collectiveFacts[collective.kind].reduces) return '';
  const index = new PlanIndex(plan);
  const memory = layOutCells(index, slots);
  const connections = index.connections;
  const { order } = executeBulk(new HappensBefore(index, connections, undefined));
  if (order.length < operationCount(plan)) throw new Error(`${plan.name} was found correct, but does not end`);
  const symbolic = new SymbolicRun(index, memory, connections);
  symbolic.executeAll(order);
  const shapes = shapesOf(symbolic.values);
  const trees: string[] = [];
  for (let rank = 0; rank < collective.ranks; rank++) {
    const found = new Set<string>();
    for (let slot = 0; slot < outputChunks(collective, rank); slot++) {
      // The collective does not define this slot, so its content does not matter.
      if (expectation(collective, rank, slot).kind === 'undefined') continue;
      found.add(shapes(symbolic.cells[memory.output[rank] + slot]));
    }
    if (found.size > 1) return undefined;
    trees.push([...found].join(''));
  }
  return trees.join('; ');
}

/**
 * Returns a function that writes the tree of a value with ranks as leaves. The operand whose text comes first in alphabetical order is on the left.
 */
function shapesOf(values: CombinationTable): (value: number) => string {
  const known = new Map<number, string>();
  return (value) => {
    const open = [value];
    for (let next = open.at(-1); next !== undefined; next = open.at(-1)) {
      const missing = values.operands(next)?.filter((operand) => !known.has(operand)) ?? [];
      if (missing.length > 0) {
        open.push(...missing);
        continue;
      }
      const operands = values.operands(next)?.map((operand) => known.get(operand) ?? '');
      known.set(next, operands === undefined ? `${values.contribution(next).rank}` : `(${operands.sort().join(' ')})`);
      open.pop();
    }
    return known.get(value) ?? '';
  };
}
