/**
 * Section 1 of docs/verification.md: the plan is well formed. All tables fit together and all numbers are in range, so that the other sections may
 * rely on them. The checks also find out where everything lies in memory.
 */
import { slotsOf } from './collective.ts';
import { isWhole, none, Refusal, requireForm } from './refusal.ts';
import {
  type BufferSlots,
  bufferCode,
  type CollectiveRecord,
  intAt,
  isMessage,
  isReceive,
  type OperationColumns,
  operationCode,
  type PlanTables,
} from './tables.ts';

/**
 * One bulk's memory of all ranks as one row of cells, rank after rank; a cell is what a slot names. In place an input slot and an output slot may
 * name the same cell. The other columns have an entry for each operation.
 */
export interface Layout {
  readonly cells: number;
  /** Entry `3 · rank + buffer`: the cell of slot 0 of a rank's input, output or scratch, and the number of slots. */
  readonly bufferCell: Int32Array;
  readonly bufferSlots: Int32Array;
  readonly rankOf: Int32Array;
  readonly laneOf: Int32Array;
  /** The first cell that is read, and the first one that is written; −1 where an operation has no such slice. */
  readonly sourceCell: Int32Array;
  readonly targetCell: Int32Array;
  /** The number of chunks that the operation moves. */
  readonly moved: Int32Array;
  /** The number of chunks that all operations move. */
  readonly movedInAll: number;
}

/** The entry of a rank's buffer in `bufferCell` and `bufferSlots`. */
export function bufferEntry(rank: number, buffer: number): number {
  return 3 * rank + buffer;
}

/** Where the buffers of all ranks lie. */
type RankMemory = Pick<Layout, 'cells' | 'bufferCell' | 'bufferSlots'>;

/** Checks the form of a plan whose collective makes sense, and lays its memory out. @throws Refusal */
export function layOut(plan: PlanTables, maxChunks: number): Layout {
  requireForm(isWhole(plan.bulks, 1, 2 ** 28), 'bulks is not a whole number from 1 to 2 ** 28');
  requireForm(isWhole(plan.scratchPerBulk, 1), 'scratchPerBulk is not a whole number of at least 1');
  checkTables(plan);
  const memory = placeBuffers(plan, maxChunks);
  const operations = plan.ops.kind.length;
  const layout = {
    ...memory,
    ...ownersOf(plan),
    sourceCell: new Int32Array(operations),
    targetCell: new Int32Array(operations),
    moved: new Int32Array(operations),
    movedInAll: 0,
  };
  for (let o = 0; o < operations; o++) {
    placeOperation(plan, layout, o);
    checkWaits(plan, layout, o);
    checkRelay(plan, layout, o);
    layout.movedInAll += intAt(layout.moved, o);
    if (layout.movedInAll > maxChunks) throw new Refusal('limit', `operations move more than ${maxChunks} chunks`);
  }
  return layout;
}

/** The tables have an entry for everything, and none twice. */
function checkTables({ collective, buffers, firstLane, firstOp, ops }: PlanTables): void {
  const { kind, peer, channel, receivedFirst, firstAfter, afterOp, afterBulks, relay = kind } = ops;
  const slices = [ops.srcBuffer, ops.srcOffset, ops.srcCount, ops.dstBuffer, ops.dstOffset, ops.dstCount];
  requireForm(buffers.length === collective.ranks, 'there are more or fewer programs than ranks');
  for (const column of [peer, channel, receivedFirst, relay, ...slices]) {
    requireForm(column.length === kind.length, 'the columns of operations differ in length');
  }
  requireForm(afterBulks.length === afterOp.length, 'the columns of waits differ in length');
  requireForm(
    sharesOut(firstLane, collective.ranks, firstOp.length - 1),
    'the lanes are not those of all ranks in order',
  );
  requireForm(
    sharesOut(firstOp, firstOp.length - 1, kind.length),
    'the operations are not those of all lanes in order',
  );
  requireForm(sharesOut(firstAfter, kind.length, afterOp.length), 'the waits are not those of all operations in order');
}

/** Whether `first` gives each row to one owner, in order. */
function sharesOut(first: Int32Array, owners: number, rows: number): boolean {
  if (first.length !== owners + 1 || intAt(first, 0) !== 0 || intAt(first, owners) !== rows) return false;
  for (let owner = 0; owner < owners; owner++) if (intAt(first, owner) > intAt(first, owner + 1)) return false;
  return true;
}

/** The lane and the rank of each operation. */
function ownersOf({ firstLane, firstOp, buffers, ops }: PlanTables): Pick<Layout, 'laneOf' | 'rankOf'> {
  const laneOf = new Int32Array(ops.kind.length);
  const rankOf = new Int32Array(ops.kind.length);
  for (let rank = 0; rank < buffers.length; rank++) {
    for (let lane = intAt(firstLane, rank); lane < intAt(firstLane, rank + 1); lane++) {
      laneOf.fill(lane, intAt(firstOp, lane), intAt(firstOp, lane + 1));
      rankOf.fill(rank, intAt(firstOp, lane), intAt(firstOp, lane + 1));
    }
  }
  return { laneOf, rankOf };
}

/** Input and output have the slots that the collective gives them. A rank's scratch lies behind its input and output. */
function placeBuffers({ collective, buffers }: PlanTables, maxChunks: number): RankMemory {
  const bufferCell = new Int32Array(3 * buffers.length);
  const bufferSlots = new Int32Array(3 * buffers.length);
  let cells = 0;
  for (const [rank, buffer] of buffers.entries()) {
    const wanted = slotsOf(collective, rank);
    const hasSlots = buffer.input === wanted.input && buffer.output === wanted.output;
    if (!hasSlots || !isWhole(buffer.scratch, 0))
      throw new Refusal('malformed', `the buffers of rank ${rank} are of other sizes`);
    const shift = inputShift(collective, rank, buffer);
    const input = cells + Math.max(0, shift);
    const output = cells + Math.max(0, -shift);
    const scratch = Math.max(input + buffer.input, output + buffer.output);
    cells = scratch + buffer.scratch;
    if (cells > maxChunks) throw new Refusal('limit', `buffers hold more than ${maxChunks} chunks`);
    bufferCell.set([input, output, scratch], bufferEntry(rank, bufferCode.input));
    bufferSlots.set([buffer.input, buffer.output, buffer.scratch], bufferEntry(rank, bufferCode.input));
  }
  return { cells, bufferCell, bufferSlots };
}

/**
 * The output slot at which a rank's input begins; negative if the output begins within the input. Out of place the input lies right behind the
 * output. In place the smaller buffer lies where its shards stand in the larger one.
 */
function inputShift(collective: CollectiveRecord, rank: number, { input, output }: BufferSlots): number {
  const { inPlace, custom, chunks } = collective;
  if (!inPlace || input === 0 || output === 0) return output;
  if (custom !== undefined) {
    const shift = custom.inputAt?.[rank] ?? 0;
    if (isWhole(shift, -input, output)) return shift;
    throw new Refusal('malformed', `the input of rank ${rank} does not lie at its output`);
  }
  if (input === output) return 0;
  return input < output ? rank * chunks : -rank * chunks;
}

/** Checks an operation by itself, and fills its entries of the layout's columns. */
function placeOperation(plan: PlanTables, layout: Layout, o: number): void {
  const { ops, collective } = plan;
  const kind = intAt(ops.kind, o);
  requireForm(isWhole(kind, operationCode.copy, operationCode.recvReduce), 'the kind of operation is not known', o);
  requireForm(isWhole(intAt(ops.receivedFirst, o), 0, 1), 'the order of operands is not known', o);
  const [reads, writes] = [!isReceive(kind), kind !== operationCode.send];
  layout.sourceCell[o] = reads ? sourceCellOf(ops, layout, o) : none;
  layout.targetCell[o] = writes ? targetCellOf(ops, layout, o) : none;
  layout.moved[o] = intAt(writes ? ops.dstCount : ops.srcCount, o);
  requireForm(reads || intAt(ops.srcBuffer, o) === none, 'a receive has a source besides its message', o);
  requireForm(writes || intAt(ops.dstBuffer, o) === none, 'a send has a destination besides its message', o);
  const writesInput = writes && intAt(ops.dstBuffer, o) === bufferCode.input;
  requireForm(collective.inPlace || !writesInput, 'the input is written, and the collective is not in place', o);
  if (isMessage(kind)) checkMessage(plan, layout, o);
  else checkLocal(plan, layout, o);
}

/** A message goes to another rank, or comes from one. */
function checkMessage({ ops, collective }: PlanTables, { rankOf }: Layout, o: number): void {
  const peer = intAt(ops.peer, o);
  requireForm(isWhole(peer, 0, collective.ranks - 1) && peer !== intAt(rankOf, o), 'the peer is no other rank', o);
  requireForm(intAt(ops.channel, o) >= 0, 'the channel is negative', o);
}

/** A copy or reduction has two slices of equal length that do not overlap. */
function checkLocal({ ops }: PlanTables, { sourceCell, targetCell, moved }: Layout, o: number): void {
  requireForm(intAt(ops.peer, o) < 0, 'a copy or reduction has a peer', o);
  requireForm(intAt(ops.srcCount, o) === intAt(ops.dstCount, o), 'the slices differ in length', o);
  requireForm(Math.abs(intAt(sourceCell, o) - intAt(targetCell, o)) >= intAt(moved, o), 'the slices overlap', o);
}

function sourceCellOf({ srcBuffer, srcOffset, srcCount }: OperationColumns, layout: Layout, o: number): number {
  return cellOf(layout, o, intAt(srcBuffer, o), intAt(srcOffset, o), intAt(srcCount, o));
}

function targetCellOf({ dstBuffer, dstOffset, dstCount }: OperationColumns, layout: Layout, o: number): number {
  return cellOf(layout, o, intAt(dstBuffer, o), intAt(dstOffset, o), intAt(dstCount, o));
}

/** The first cell of a slice, which has at least one slot and lies within its buffer. */
function cellOf(layout: Layout, o: number, buffer: number, offset: number, count: number): number {
  requireForm(isWhole(buffer, bufferCode.input, bufferCode.scratch), 'a slice is missing', o);
  const entry = bufferEntry(intAt(layout.rankOf, o), buffer);
  const isInside = offset >= 0 && count >= 1 && offset + count <= intAt(layout.bufferSlots, entry);
  requireForm(isInside, 'a slice is empty or lies outside its buffer', o);
  return intAt(layout.bufferCell, entry) + offset;
}

/** An operation waits for operations of its own rank, of itself and others in earlier bulks, of others in the same bulk. */
function checkWaits({ firstLane, firstOp, ops }: PlanTables, { rankOf }: Layout, o: number): void {
  const rank = intAt(rankOf, o);
  const start = intAt(firstOp, intAt(firstLane, rank));
  const end = intAt(firstOp, intAt(firstLane, rank + 1));
  for (let wait = intAt(ops.firstAfter, o); wait < intAt(ops.firstAfter, o + 1); wait++) {
    const awaited = intAt(ops.afterOp, wait);
    requireForm(isWhole(awaited, start, end - 1), 'it waits for an operation of another rank', o);
    requireForm(intAt(ops.afterBulks, wait) >= (awaited === o ? 1 : 0), 'it waits for itself or for a later bulk', o);
  }
}

/** A relay is a receive whose message a later send of its lane passes on. */
function checkRelay({ ops }: PlanTables, { laneOf }: Layout, o: number): void {
  const send = ops.relay === undefined ? -1 : intAt(ops.relay, o);
  if (send === none) return;
  const isLaterInLane = isWhole(send, o + 1, laneOf.length - 1) && intAt(laneOf, send) === intAt(laneOf, o);
  const passesOn = isLaterInLane && isReceive(intAt(ops.kind, o)) && intAt(ops.kind, send) === operationCode.send;
  requireForm(passesOn, 'it relays a message that no later send of its lane passes on', o);
}
