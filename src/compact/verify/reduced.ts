/**
 * Checks the result of a compact reducescatter or allreduce. A forward run on names (`naming-run.ts`) gives the reductions that the outputs hold at
 * the end, and so the input slot of which each must be the reduction over all ranks. A backward run then computes, for each cell, the multiset of
 * these results into which the cell's content flows: a copy or a message passes the multiset from its destination to its source, a reduction passes
 * it to both operands, and where a result is computed, that result is added. At the start of the run each input slot must flow into exactly the
 * results that need it, once (or, for idempotent operators, at least once). This holds for rank 0's inputs, hence by symmetry for those of all ranks,
 * so every result has exactly the operands that it must have.
 */

import type { CellMemory } from '../../ir/cell-memory.ts';
import { isIdempotent } from '../../ir/collective.ts';
import type { CompactPlan } from '../../ir/compact.ts';
import { none } from '../../ir/none.ts';
import { isReceive, isReduction, OperationCode } from '../../ir/plan.ts';
import type { Connections, PlanIndex } from '../../ir/plan-index.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';
import { CheckFindings } from '../../verify/explain/findings.ts';
import { Carried } from './carried.ts';
import { Ends, type Flaw } from './ends.ts';
import type { NamingRun } from './naming-run.ts';
import type { Results, SlotShift } from './results.ts';

/** A complete run of a plan without data races, and the values in its outputs. */
export interface Reductions {
  readonly index: PlanIndex;
  readonly memory: CellMemory;
  readonly connections: Connections;
  readonly order: Int32Array;
  readonly group: TranslationGroup;
  readonly run: NamingRun;
  readonly results: Results;
  readonly shift: SlotShift;
}

/** Returns the findings, or undefined if input chunks flow into more results than `budget` allows to list. */
export function checkReduced(plan: CompactPlan, reductions: Reductions, budget: number): CheckFindings | undefined {
  const { memory, order, run, results, shift } = reductions;
  const numbered = [...results.slotOf];
  const numberOf = new Map(numbered.map(([id], number) => [id, number]));
  const ends = new Ends(reductions.group, Math.max(1, numbered.length), budget);
  const backwards = new BackwardRun(reductions, ends, numberOf);
  for (let at = order.length - 1; at >= 0; at--) backwards.step(order[at]);
  const repeats = isIdempotent(plan.collective.op);
  const findings = new CheckFindings('wrong-result');
  const expected = expectedPlaces(plan, numbered, shift);
  for (let slot = 0; slot < run.inputs; slot++) {
    // With a single rank the input is the result.
    const multiset = ends.union(backwards.multisets[memory.input[0] + slot], numberOf.get(slot) ?? none);
    const flaw = ends.flawOf(multiset, expected(slot), repeats, (place) => {
      const rank = Math.floor(place / numbered.length);
      return shift.fromRank(rank, numbered[place - rank * numbered.length][1]) === slot;
    });
    if (flaw === 'too many to list') return undefined;
    if (flaw !== undefined) findings.add(() => ({ message: messageOf(slot, flaw, multiset === none) }));
  }
  return findings;
}

function messageOf(slot: number, flaw: Exclude<Flaw, 'too many to list'>, nowhereAtAll: boolean): string {
  const found = {
    missing: nowhereAtAll ? 'goes nowhere' : 'is missing in some',
    twice: 'goes there twice',
    elsewhere: 'goes elsewhere',
  }[flaw];
  return `input[${slot}] of every rank should go into the reductions of its chunk once, but ${found}.`;
}

/** Returns the number of results that each slot of rank 0's input must flow into: every rank has one for each id, for equally shifted slots. */
function expectedPlaces(
  plan: CompactPlan,
  numbered: readonly (readonly [id: number, slot: number])[],
  shift: SlotShift,
): (slot: number) => number {
  const bySlot = new Map<number, number>();
  for (const [, slot] of numbered) bySlot.set(shift.withinShard(slot), (bySlot.get(shift.withinShard(slot)) ?? 0) + 1);
  const times = shift.isShifted ? 1 : plan.collective.ranks;
  return (slot) => (bySlot.get(shift.withinShard(slot)) ?? 0) * times;
}

/** Executes a run backwards. A place is a result: rank · (number of ids) + index of its id. */
class BackwardRun {
  /** By cell: the multiset of results that the cell's content flows into. */
  readonly multisets: Float64Array;
  private readonly carried: Carried;
  private readonly reductions: Reductions;
  private readonly ends: Ends;
  private readonly numberOf: ReadonlyMap<number, number>;

  constructor(reductions: Reductions, ends: Ends, numberOf: ReadonlyMap<number, number>) {
    const { index, memory } = reductions;
    this.reductions = reductions;
    this.ends = ends;
    this.numberOf = numberOf;
    this.multisets = new Float64Array(memory.firstCell[1]).fill(none);
    this.carried = new Carried(index.plan.ops.kind.length);
  }

  /** Undoes an operation. The caller undoes operations in the reverse order of the run. */
  step(operation: number): void {
    const { multisets, carried, ends } = this;
    const { index, memory, connections } = this.reductions;
    const { ops } = index.plan;
    const source = memory.sourceCell[operation];
    const target = memory.targetCell[operation];
    const kind = ops.kind[operation];
    if (kind === OperationCode.send) {
      const at = carried.take(connections.partner[operation], ops.srcCount[operation]);
      const { values } = carried;
      for (let i = 0; i < ops.srcCount[operation]; i++) {
        multisets[source + i] = ends.union(multisets[source + i], ends.translated(values[at + i], ops.peer[operation]));
      }
      return;
    }
    const combines = isReduction(index.plan, operation);
    const receives = isReceive(index.plan, operation);
    const at = receives ? carried.put(operation, ops.dstCount[operation]) : -1;
    for (let i = 0; i < ops.dstCount[operation]; i++) {
      const written = combines ? this.madeMultiset(operation, i) : multisets[target + i];
      multisets[target + i] = combines ? written : none;
      if (receives) carried.values[at + i] = written;
      else multisets[source + i] = ends.union(multisets[source + i], written);
    }
  }

  /** Returns where chunk i of a reduction's result flows: where its cell's content flows and, if it is one of the results, into itself. */
  private madeMultiset(operation: number, i: number): number {
    const { run, memory } = this.reductions;
    const multiset = this.multisets[memory.targetCell[operation] + i];
    return this.ends.union(multiset, this.numberOf.get(run.firstMade[operation] + i) ?? none);
  }
}
