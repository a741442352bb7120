/**
 * The values that a compact reducescatter or allreduce ends with, and of which slot each should be the reduction. Slots are named as
 * rank 0's program names those of the collective's larger buffer: shard and chunk, or the chunk alone where buffers are not shifted.
 */

import type { CellMemory } from '../../ir/cell-memory.ts';
import { type CompactPlan, shiftedShard } from '../../ir/compact.ts';
import { none } from '../../ir/none.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';
import { CheckFindings } from '../../verify/explain/findings.ts';
import type { NamingRun } from './naming-run.ts';

/** How the slots that are reduced shift with the ranks. */
export class SlotShift {
  /** Chunks of a shard; undefined where slots are the same for all ranks. */
  private readonly shard: number | undefined;
  private readonly group: TranslationGroup;

  constructor(plan: CompactPlan, group: TranslationGroup) {
    this.shard = shiftedShard(plan, 'input');
    this.group = group;
  }

  get isShifted(): boolean {
    return this.shard !== undefined;
  }

  /** The part of a slot's name that a shift does not change. */
  withinShard(slot: number): number {
    return this.shard === undefined ? slot : slot % this.shard;
  }

  /** What rank 0 calls the slot that rank `rank` (as rank 0 names it) calls `slot`. */
  fromRank(rank: number, slot: number): number {
    if (this.shard === undefined) return slot;
    const shard = Math.floor(slot / this.shard);
    return this.group.add(shard, rank) * this.shard + (slot - shard * this.shard);
  }

  /** What rank `rank` calls the slot that rank 0 calls `slot`. */
  toRank(rank: number, slot: number): number {
    return this.shard === undefined ? slot : this.fromRank(this.group.negate(rank), slot);
  }
}

/** Values that stand in outputs, by what each should be the reduction of. */
export interface Results {
  /** Name of the value in each output slot of rank 0. */
  readonly values: Float64Array;
  /** By id of the value: the slot, as the rank that made it names it, that it should be the reduction of. */
  readonly slotOf: ReadonlyMap<number, number>;
  readonly findings: CheckFindings;
}

/** Reads the outputs after a complete run. */
export function resultsOf(plan: CompactPlan, memory: CellMemory, run: NamingRun, shift: SlotShift): Results {
  const findings = new CheckFindings('wrong-result');
  const slotOf = new Map<number, number>();
  const values = run.cells.names(memory.output[0], plan.buffers.output);
  values.forEach((name, output) => {
    if (name === none) {
      findings.add(() => ({ message: `In the end output[${output}] of every rank holds nothing.` }));
      return;
    }
    const rank = Math.floor(name / run.ids);
    const id = name - rank * run.ids;
    if (id < run.inputs && plan.collective.ranks > 1) {
      findings.add(() => ({
        message: `In the end output[${output}] of every rank should hold a reduction of all ranks, but holds input[${id}] of the rank at offset ${rank} alone.`,
      }));
      return;
    }
    // A reducescatter's output slot c is for chunk c of the rank's own shard, which it calls shard 0.
    const slot = shift.toRank(rank, output);
    const other = slotOf.get(id);
    if (other === undefined) slotOf.set(id, slot);
    else if (other !== slot) {
      findings.add(() => ({
        message: `In the end output[${output}] of every rank holds the same value as a slot that must hold another reduction.`,
      }));
    }
  });
  return { values, slotOf, findings };
}
