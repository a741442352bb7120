/**
 * Checks the result of a compact plan that only moves data: at the end every output slot must hold the input chunk that the collective puts there.
 */

import type { CellMemory } from '../../ir/cell-memory.ts';
import { OperationCode, type Plan } from '../../ir/plan.ts';
import type { PlanIndex } from '../../ir/plan-index.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';
import { CheckFindings } from '../../verify/explain/findings.ts';
import type { NamingRun } from './naming-run.ts';

/** Whether a plan has no reductions. */
export function onlyMoves({ ops }: Plan): boolean {
  return ops.kind.every((kind) => kind !== OperationCode.reduce && kind !== OperationCode.recvReduce);
}

/** Checks the outputs after a complete run without data races. It is used for allgather and alltoall only. */
export function checkMoved(
  index: PlanIndex,
  memory: CellMemory,
  run: NamingRun,
  group: TranslationGroup,
): CheckFindings {
  const { collective, buffers } = index.plan;
  const findings = new CheckFindings('wrong-result');
  const { inputs } = run;
  const { chunks } = collective;
  const values = run.cells.names(memory.output[0], buffers[0].output);
  for (let slot = 0; slot < buffers[0].output; slot++) {
    const shard = Math.floor(slot / chunks);
    // Shard i of the output must be rank i's input (allgather), or the shard of it that is for rank 0 (alltoall), which rank i's program names ⊖i.
    const from = collective.kind === 'allgather' ? 0 : group.negate(shard) * chunks;
    const wanted = shard * inputs + from + (slot % chunks);
    const value = values[slot];
    if (value === wanted) continue;
    findings.add(() => {
      const name = (id: number): string =>
        id < 0 ? 'nothing' : `input[${id % inputs}] of the rank at offset ${Math.floor(id / inputs)}`;
      return {
        message: `In the end output[${slot}] of every rank should hold ${name(wanted)}, but holds ${name(value)}.`,
      };
    });
  }
  return findings;
}
