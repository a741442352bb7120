/**
 * The values that a compact reducescatter or allreduce ends with, and the input slot of which each must be the reduction over all ranks. Slots are
 * named as in rank 0's program: by their index in the collective's larger buffer, where shards are shifted, or by the chunk alone in buffers that are
 * not shifted.
 */

import type { CellMemory } from '../../ir/cell-memory.ts';
import { type CompactPlan, shiftedShard } from '../../ir/compact.ts';
import { none } from '../../ir/none.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';
import { CheckFindings } from '../../verify/explain/findings.ts';
import type { NamingRun } from './naming-run.ts';

/** Translates names of slots between ranks. */
export class SlotShift {
  /** Chunks per shard; undefined if all ranks use the same names. */
  private readonly shard: number | undefined;
  private readonly group: TranslationGroup;

  constructor(plan: CompactPlan, group: TranslationGroup) {
    this.shard = shiftedShard(plan, 'input');
    this.group = group;
  }

  get isShifted(): boolean {
    return this.shard !== undefined;
  }

  /** Returns the part of a slot's name that a shift does not change: the chunk's index in its shard. */
  withinShard(slot: number): number {
    return this.shard === undefined ? slot : slot % this.shard;
  }

  /** Returns rank 0's name of the slot that rank `rank` (relative to rank 0) calls `slot`. */
  fromRank(rank: number, slot: number): number {
    if (this.shard === undefined) return slot;
    const shard = Math.floor(slot / this.shard);
    return this.group.add(shard, rank) * this.shard + (slot - shard * this.shard);
  }

  /** Returns rank `rank`'s name of the slot that rank 0 calls `slot`. */
  toRank(rank: number, slot: number): number {
    return this.shard === undefined ? slot : this.fromRank(this.group.negate(rank), slot);
  }
}

/** The values in the outputs, and the slot that each must be the reduction of. */
export interface Results {
  /** Name of the value in each output slot of rank 0. */
  readonly values: Float64Array;
  /** By id of the value: the input slot that it must be the reduction of, named as in the program of the rank that computed it. */
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
    // Output slot c of a reducescatter is for chunk c of the rank's own shard, which its program calls shard 0.
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
