/**
 * Data races: there is none in any interleaving. Two accesses to a cell, one of them a write, must be ordered by
 * happens-before. Along one run, a read need only be checked against the write before it, and a write against the reads since
 * the write before it (or that write, if there are none): the rest follows by transitivity. Between bulks only
 * scratch can meet: copy b mod S in bulks b and b + S, whose first write must come after the last accesses.
 */
import type { CellMemory } from '../../ir/cell-memory.ts';
import { byGroup, IntRows } from '../../ir/column.ts';
import { isReceive, isSend } from '../../ir/plan.ts';
import { CellBits } from '../cell-bits.ts';
import { CheckFindings } from '../explain/findings.ts';
import { describeRace } from '../explain/race.ts';
import type { ExecutedOrder, HappensBefore } from '../order/happens-before.ts';
import { LaneSweep } from '../order/lane-sweep.ts';
import { findUnordered, OrderedPairs } from '../order/ordered-pairs.ts';
import { QuickOrder } from '../order/quick-order.ts';
import type { Ownership } from '../ownership.ts';

/** Finds the data races of a plan that reaches its end and reads nothing uninitialised. @param run one complete run of a bulk */
export function checkDataRaces(
  happens: HappensBefore,
  memory: CellMemory,
  run: ExecutedOrder,
  ownership: Ownership,
): CheckFindings {
  const { plan, rankOf } = happens.index;
  const sweep = new LaneSweep(happens, ownership);
  const open = new OrderedPairs();
  const byRank = groupByRank(run.order, rankOf, plan.buffers.length);
  const scan = new RankScan(happens, memory, new QuickOrder(happens, run.order, ownership));
  const place = new Int32Array(run.order.length);
  for (const operations of byRank) {
    const doubtful = scan.over(operations);
    // Paths within the rank order most of the pairs that `QuickOrder` cannot decide, so these are tried before the whole plan.
    findUnordered(happens, sweep, operations, place, doubtful, (pair) => {
      open.push(doubtful.earlier.at(pair), doubtful.later.at(pair), doubtful.cell.at(pair), doubtful.bulks.at(pair));
      return false;
    });
  }
  const findings = new CheckFindings('race');
  const reported = new Set<string>();
  findUnordered(happens, sweep, run.order, place, open, (pair) => {
    const [earlier, later, bulks] = [open.earlier.at(pair), open.later.at(pair), open.bulks.at(pair)];
    const key = `${earlier} ${later} ${bulks}`;
    const race = { happens, memory, ownership, earlier, later, cell: open.cell.at(pair), bulks };
    if (!reported.has(key)) findings.add(() => describeRace(race));
    reported.add(key);
    if (findings.full) findings.cutShort();
    return findings.full;
  });
  return findings;
}

/** Splits a run by rank, each part in the order of the run. */
function groupByRank(order: Int32Array, rankOf: Int32Array, ranks: number): readonly Int32Array[] {
  if (ranks === 1) return [order];
  const { first, rows } = byGroup(pick(rankOf, order), ranks);
  const grouped = pick(order, rows);
  return Array.from({ length: ranks }, (_, rank) => grouped.subarray(first[rank], first[rank + 1]));
}

function pick(column: Int32Array, rows: Int32Array): Int32Array {
  const picked = new Int32Array(rows.length);
  for (let at = 0; at < rows.length; at++) picked[at] = column[rows[at]];
  return picked;
}

/**
 * Scans a rank's accesses in the order of a run and collects the pairs that `QuickOrder` cannot order. Consecutive cells with the same history of
 * accesses are kept as one interval, so that the cost does not depend on the number of cells of a message.
 */
class RankScan {
  private readonly happens: HappensBefore;
  private readonly memory: CellMemory;
  private readonly quick: QuickOrder;
  /** Number of bulks after which a copy of scratch is used again; 0 if it never is. */
  private readonly reuse: number;
  private doubtful = new OrderedPairs();
  /** First cells of the intervals, counted from the rank's first cell, and the end of the last interval. */
  private readonly starts: CellBits;
  /** By the first cell of an interval: its first and its last write; −1 for none. */
  private readonly firstWrite: Int32Array;
  private readonly lastWrite: Int32Array;
  /** By the first cell of an interval, its readers since the last write: none (−1), one operation, or those of entry e of `reads` (−2 − e). */
  private readonly lastRead: Int32Array;
  /** Lists of readers: the newest reader, and the others encoded as in `lastRead`. Most cells are written again after one read. */
  private readonly reads = new IntRows(2);
  /** The pair that was found to be ordered last. Consecutive cells mostly have the same pair, which need not be decided again. */
  private orderedEarlier = -1;
  private orderedLater = -1;

  constructor(happens: HappensBefore, memory: CellMemory, quick: QuickOrder) {
    this.happens = happens;
    this.memory = memory;
    this.quick = quick;
    const { bulks, scratchPerBulk } = happens.index.plan;
    this.reuse = bulks > scratchPerBulk ? scratchPerBulk : 0;
    const { firstCell } = memory;
    let most = 0;
    for (let rank = 0; rank + 1 < firstCell.length; rank++)
      most = Math.max(most, firstCell[rank + 1] - firstCell[rank]);
    this.starts = new CellBits(most + 1);
    this.firstWrite = new Int32Array(most);
    this.lastWrite = new Int32Array(most);
    this.lastRead = new Int32Array(most);
  }

  over(operations: Int32Array): OrderedPairs {
    const { plan, rankOf } = this.happens.index;
    const { sourceCell, targetCell, firstCell } = this.memory;
    const { srcCount, dstCount } = plan.ops;
    this.doubtful = new OrderedPairs();
    if (operations.length === 0) return this.doubtful;
    const rank = rankOf[operations[0]];
    const base = firstCell[rank];
    const cells = firstCell[rank + 1] - base;
    this.reset(cells);
    for (let at = 0; at < operations.length; at++) {
      const operation = operations[at];
      if (!isReceive(plan, operation)) this.read(operation, sourceCell[operation] - base, srcCount[operation]);
      // A reduction reads the cells that it writes; checking its write covers that read.
      if (!isSend(plan, operation)) this.write(operation, targetCell[operation] - base, dstCount[operation]);
    }
    if (this.reuse > 0) this.reuseScratch(this.memory.scratch[rank] - base, cells);
    return this.doubtful;
  }

  private reset(cells: number): void {
    this.starts.clear();
    this.starts.add(0);
    this.starts.add(cells);
    this.firstWrite[0] = -1;
    this.lastWrite[0] = -1;
    this.lastRead[0] = -1;
    this.reads.clear();
  }

  private read(operation: number, first: number, count: number): void {
    if (count === 0) return;
    const { starts, reads, lastRead, lastWrite } = this;
    this.split(first);
    this.split(first + count);
    for (let cell = first; cell < first + count; cell = starts.firstFrom(cell + 1)) {
      if (lastWrite[cell] !== -1) this.check(lastWrite[cell], operation, cell);
      const others = lastRead[cell];
      if (others === -1) {
        lastRead[cell] = operation;
        continue;
      }
      const entry = reads.add();
      reads.cells[entry] = operation;
      reads.cells[entry + 1] = others;
      lastRead[cell] = -2 - entry;
    }
  }

  private write(operation: number, first: number, count: number): void {
    if (count === 0) return;
    this.split(first);
    this.split(first + count);
    for (let cell = first; cell < first + count; cell = this.starts.firstFrom(cell + 1)) {
      this.checkSince(operation, cell, 0);
      if (this.firstWrite[cell] === -1) this.firstWrite[cell] = operation;
      this.lastWrite[cell] = operation;
      this.lastRead[cell] = -1;
    }
    // The cells become one interval. If scratch is reused, the first write of each cell still matters, so the borders stay.
    if (this.reuse === 0) this.starts.removeRange(first + 1, first + count);
  }

  /** Makes a cell the first of an interval. */
  private split(cell: number): void {
    const { starts, firstWrite, lastWrite, lastRead } = this;
    if (starts.has(cell)) return;
    const start = starts.lastUpTo(cell);
    starts.add(cell);
    firstWrite[cell] = firstWrite[start];
    lastWrite[cell] = lastWrite[start];
    lastRead[cell] = lastRead[start];
  }

  /** Checks the first write of each scratch cell against the last accesses to it, `reuse` bulks before. */
  private reuseScratch(first: number, cells: number): void {
    if (first < cells) this.split(first);
    for (let cell = first; cell < cells; cell = this.starts.firstFrom(cell + 1)) {
      if (this.firstWrite[cell] !== -1) this.checkSince(this.firstWrite[cell], cell, this.reuse);
    }
  }

  /** Checks a write against the reads since the last write, or against that write if there are none. */
  private checkSince(write: number, cell: number, bulks: number): void {
    let read = this.lastRead[cell];
    if (read === -1 && this.lastWrite[cell] !== -1) this.check(this.lastWrite[cell], write, cell, bulks);
    const { cells } = this.reads;
    for (; read < -1; read = cells[-1 - read]) this.check(cells[-2 - read], write, cell, bulks);
    if (read !== -1) this.check(read, write, cell, bulks);
  }

  private check(earlier: number, later: number, cell: number, bulks = 0): void {
    if (bulks === 0 && earlier === this.orderedEarlier && later === this.orderedLater) return;
    if (!this.quick.isBefore(earlier, later, bulks)) {
      const { rankOf } = this.happens.index;
      this.doubtful.push(earlier, later, cell + this.memory.firstCell[rankOf[later]], bulks);
    } else if (bulks === 0) {
      this.orderedEarlier = earlier;
      this.orderedLater = later;
    }
  }
}
