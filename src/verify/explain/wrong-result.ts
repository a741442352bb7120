/** Explains a wrong output slot: what it should hold, what it holds, and the operations that produced the value. */

import { type CellMemory, slotName } from '../../ir/cell-memory.ts';
import { isReceive, isReduction, isSend } from '../../ir/plan.ts';
import type { Connections, PlanIndex } from '../../ir/plan-index.ts';
import { SymbolicRun } from '../symbolic-run.ts';
import type { CombinationTable } from '../values.ts';
import { type FindingText, type StoryLine, storyLineOf } from './findings.ts';
import { reportLimits } from './report-limits.ts';

/** A slot that does not hold what it should. */
export interface WrongSlot {
  readonly rank: number;
  readonly slot: number;
  /** The value in it, −1 for nothing. */
  readonly value: number;
  /** Leaves that it should hold, in reduction order. */
  readonly wanted: readonly number[];
}

/** A complete run of a plan, and what is needed to run it again. */
export interface Replay {
  readonly index: PlanIndex;
  readonly memory: CellMemory;
  readonly connections: Connections;
  readonly order: Int32Array;
}

export function describeWrongResult(
  replay: Replay,
  values: CombinationTable,
  { rank, slot, value, wanted }: WrongSlot,
): FindingText {
  const held = leavesOf(values, value);
  const message =
    `output[${slot}] of rank ${rank} should hold ${sum(values, wanted)}, but holds ${sum(values, held)}: ` +
    `${difference(values, held, wanted)}.`;
  return { message, story: tellChain(replay, replay.memory.output[rank] + slot) };
}

function leavesOf(values: CombinationTable, value: number): readonly number[] {
  return value === -1 ? [] : values.contents(value, reportLimits.leaves);
}

/** `in[0][3] ⊕ in[1][3]`: input chunk 3 of ranks 0 and 1. */
function sum(values: CombinationTable, leaves: readonly number[]): string {
  return leaves.length === 0 ? 'nothing' : list(values, leaves, ' ⊕ ');
}

function list(values: CombinationTable, leaves: readonly number[], separator: string): string {
  const names = leaves.slice(0, reportLimits.contributions).map((leaf) => {
    if (leaf === values.unknown) return 'whatever lay there';
    if (leaf === values.cutOff) return 'a larger chunk, cut off';
    const { rank, chunk } = values.contribution(leaf);
    return `in[${rank}][${chunk}]`;
  });
  const more = leaves.length - names.length;
  return names.join(separator) + (more === 0 ? '' : `${separator}… (${more} more)`);
}

/** Says which contributions are missing, duplicated or do not belong there; if there are none, that the order is wrong. */
function difference(values: CombinationTable, held: readonly number[], wanted: readonly number[]): string {
  const balance = new Map<number, number>();
  for (const leaf of wanted) balance.set(leaf, (balance.get(leaf) ?? 0) - 1);
  for (const leaf of held) balance.set(leaf, (balance.get(leaf) ?? 0) + 1);
  const wants = new Set(wanted);
  const which = (chosen: (surplus: number, leaf: number) => boolean): readonly number[] =>
    [...balance].filter(([leaf, surplus]) => chosen(surplus, leaf)).map(([leaf]) => leaf);
  const parts: readonly (readonly [string, readonly number[]])[] = [
    ['missing', which((surplus) => surplus < 0)],
    ['more than once', which((surplus, leaf) => surplus > 0 && wants.has(leaf))],
    ['foreign', which((surplus, leaf) => surplus > 0 && !wants.has(leaf))],
  ];
  const differences = parts.filter(([, leaves]) => leaves.length > 0);
  if (differences.length === 0) return 'the contributions are combined out of order';
  return differences.map(([what, leaves]) => `${what}: ${list(values, leaves, ', ')}`).join('; ');
}

/** An operation that contributed to the slot, and the cell that it wrote (or read, for a send). */
interface Touch {
  readonly operation: number;
  readonly cell: number;
}

/** The chain of operations that filled a cell, each with what the cell held after it. */
function tellChain(replay: Replay, cell: number): readonly StoryLine[] {
  const { index, memory, connections, order } = replay;
  const chain = chainTo(replay, cell);
  const cellOf = new Map(chain.map((touch) => [touch.operation, touch.cell]));
  const symbolic = new SymbolicRun(index, memory, connections);
  const lines: StoryLine[] = [];
  for (const operation of order) {
    symbolic.execute(operation);
    const touched = cellOf.get(operation);
    if (touched === undefined) continue;
    const slot = slotName(memory, index.plan, index.rankOf[operation], touched);
    const held = sum(symbolic.values, leavesOf(symbolic.values, symbolic.cells[touched]));
    lines.push(storyLineOf(index, operation, `${slot} is ${held}`));
  }
  return lines;
}

/**
 * Follows the content of a cell backwards from the end of the run, for a limited number of operations. At a reduction it follows the destination, not
 * the added operand.
 */
function chainTo({ index, memory, connections, order }: Replay, cell: number): readonly Touch[] {
  const { plan } = index;
  const chain: Touch[] = [];
  let wanted = cell;
  let sending = -1;
  for (let at = order.length - 1; at >= 0 && chain.length < reportLimits.operations; at--) {
    const operation = order[at];
    if (isSend(plan, operation)) {
      if (operation !== sending) continue;
      chain.push({ operation, cell: wanted });
      sending = -1;
      continue;
    }
    const offset = wanted - memory.targetCell[operation];
    if (sending !== -1 || offset < 0 || offset >= plan.ops.dstCount[operation]) continue;
    chain.push({ operation, cell: wanted });
    if (isReduction(plan, operation)) continue;
    if (isReceive(plan, operation)) sending = connections.partner[operation];
    wanted = memory.sourceCell[sending === -1 ? operation : sending] + offset;
  }
  return chain;
}
