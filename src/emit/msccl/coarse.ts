/**
 * Rewrites a plan with the largest chunks of which all its slices are multiples: steps then have fewer chunks, and slices that exceed the limit on
 * chunks per step need fewer steps.
 */
import type { OperationTable, Plan } from '../../ir/plan.ts';
import { greatestCommonDivisor } from '../../ir/whole-numbers.ts';

/** The same plan with larger chunks; its result has the same bytes. Only for collectives whose buffers are counted in C. */
export function inLargestChunks(plan: Plan): Plan {
  const unit = largestUnit(plan);
  if (unit === 1) return plan;
  const divided = (column: Int32Array): Int32Array => column.map((value) => value / unit);
  const { ops } = plan;
  const coarse: OperationTable = {
    ...ops,
    srcOffset: divided(ops.srcOffset),
    srcCount: divided(ops.srcCount),
    dstOffset: divided(ops.dstOffset),
    dstCount: divided(ops.dstCount),
  };
  return {
    ...plan,
    collective: { ...plan.collective, chunks: plan.collective.chunks / unit },
    buffers: plan.buffers.map(({ input, output, scratch }) => ({
      input: input / unit,
      output: output / unit,
      scratch: Math.ceil(scratch / unit),
    })),
    ops: coarse,
  };
}

function largestUnit({ collective, ops }: Plan): number {
  let unit = collective.chunks;
  for (const column of [ops.srcOffset, ops.srcCount, ops.dstOffset, ops.dstCount]) {
    for (let row = 0; row < column.length && unit > 1; row++) unit = greatestCommonDivisor(unit, column[row]);
  }
  return unit;
}
