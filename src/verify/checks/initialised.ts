/**
 * Checks initialisation: no operation reads a slot that nothing has written. A read is uninitialised if every write that could fill the slot
 * certainly comes after it, or if there is no such write. If a write may come before or after the read, the check of data races reports it.
 */

import type { CellMemory } from '../../ir/cell-memory.ts';
import { inputChunks } from '../../ir/collective.ts';
import { isReceive, isReduction, isSend } from '../../ir/plan.ts';
import type { PlanIndex } from '../../ir/plan-index.ts';
import type { Finding } from '../../ir/verification.ts';
import { CellBits } from '../cell-bits.ts';
import { describeEarlyRead } from '../explain/early-read.ts';
import { CheckFindings } from '../explain/findings.ts';
import { reportLimits } from '../explain/report-limits.ts';
import type { ExecutedOrder, HappensBefore } from '../order/happens-before.ts';
import { LaneSweep } from '../order/lane-sweep.ts';

/** An operation that reads slots before the examined run has written them. */
interface EarlyRead {
  readonly operation: number;
  /** Some of the cells that it reads too early. */
  readonly cells: readonly number[];
}

/**
 * Finds uninitialised reads along one run, which may end early in a deadlock.
 * @param severity `warning` if memory may hold anything at the start: then the check of the result decides whether such a read does harm
 */
export function checkInitialised(
  happens: HappensBefore,
  memory: CellMemory,
  run: ExecutedOrder,
  severity: Finding['severity'],
): CheckFindings {
  const { index } = happens;
  const { plan, rankOf, laneOf } = index;
  const findings = new CheckFindings('uninitialised', severity);
  const early = new EarlyReads(index, memory).along(run);
  if (early.length === 0) return findings;
  const sweep = new LaneSweep(happens, 'event');
  const reported = new Set<number>();
  for (const { operation, cells } of early) {
    const lane = laneOf[operation];
    const isLater = (write: number): boolean =>
      (laneOf[write] === lane && write > operation) || sweep.position(write) >= operation - plan.firstOp[lane];
    sweep.over(run.order, lane, 0, () => {
      const unfilled = cells.find((cell) => fillersOf(index, memory, rankOf[operation], cell).every(isLater));
      if (unfilled === undefined || reported.has(unfilled)) return;
      reported.add(unfilled);
      const [filler] = fillersOf(index, memory, rankOf[operation], unfilled);
      findings.add(() => describeEarlyRead(index, memory, { operation, cell: unfilled, filler }));
    });
  }
  return findings;
}

/** Collects the first early reads along a run. */
class EarlyReads {
  private readonly index: PlanIndex;
  private readonly memory: CellMemory;
  private readonly written: CellBits;
  private readonly early: EarlyRead[] = [];

  constructor(index: PlanIndex, memory: CellMemory) {
    this.index = index;
    this.memory = memory;
    const { buffers, collective } = index.plan;
    this.written = new CellBits(memory.firstCell[buffers.length]);
    for (let rank = 0; rank < buffers.length; rank++) {
      this.written.addRange(memory.input[rank], memory.input[rank] + inputChunks(collective, rank));
    }
  }

  along(run: ExecutedOrder): readonly EarlyRead[] {
    for (const operation of run.order) {
      if (this.early.length >= reportLimits.earlyReads) break;
      this.read(operation);
      this.write(operation);
    }
    // A deadlock may keep operations from running. For them a slot counts as written if any of them fills it, so that the deadlock is reported and
    // not an early read.
    const { plan } = this.index;
    const stuck: number[] = [];
    for (let lane = 0; lane < plan.laneId.length; lane++) {
      for (let operation = run.next[lane]; operation < plan.firstOp[lane + 1]; operation++) stuck.push(operation);
    }
    for (const operation of stuck) this.write(operation);
    for (const operation of stuck) if (this.early.length < reportLimits.earlyReads) this.read(operation);
    return this.early;
  }

  private read(operation: number): void {
    const { plan } = this.index;
    const { sourceCell, targetCell } = this.memory;
    const reads = !isReceive(plan, operation);
    const reduces = isReduction(plan, operation);
    const tooEarly =
      (reads && this.isUnwritten(sourceCell[operation], plan.ops.srcCount[operation])) ||
      (reduces && this.isUnwritten(targetCell[operation], plan.ops.dstCount[operation]));
    if (!tooEarly) return;
    const cells: number[] = [];
    if (reads) this.collect(sourceCell[operation], plan.ops.srcCount[operation], cells);
    if (reduces) this.collect(targetCell[operation], plan.ops.dstCount[operation], cells);
    this.early.push({ operation, cells });
  }

  private isUnwritten(first: number, count: number): boolean {
    return !this.written.hasRange(first, first + count);
  }

  private write(operation: number): void {
    const { plan } = this.index;
    // A reduction does not fill a slot, since it combines with the old content.
    if (isSend(plan, operation) || isReduction(plan, operation)) return;
    const first = this.memory.targetCell[operation];
    this.written.addRange(first, first + plan.ops.dstCount[operation]);
  }

  private collect(first: number, count: number, cells: number[]): void {
    for (let cell = first; cell < first + count && cells.length < reportLimits.earlyReads; cell++) {
      if (!this.written.has(cell)) cells.push(cell);
    }
  }
}

/** Returns the operations of a rank that overwrite a cell. Reductions are not among them, since they combine with the old content. */
function fillersOf(index: PlanIndex, memory: CellMemory, rank: number, cell: number): readonly number[] {
  const { plan } = index;
  const fillers: number[] = [];
  for (let o = plan.firstOp[plan.firstLane[rank]]; o < plan.firstOp[plan.firstLane[rank + 1]]; o++) {
    const first = memory.targetCell[o];
    const writes = !isSend(plan, o) && !isReduction(plan, o);
    if (writes && first <= cell && cell < first + plan.ops.dstCount[o]) fillers.push(o);
  }
  return fillers;
}
