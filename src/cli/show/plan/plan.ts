/** Writes a plan for readers: rank by rank, lane by lane, one operation per line. */

import { messageChunks } from '../../../ir/collective.ts';
import { type CompactPlan, soleProgram } from '../../../ir/compact.ts';
import { oneLine } from '../../../ir/plain-text.ts';
import {
  laneOf,
  type Operation,
  operationAt,
  operationCount,
  type Plan,
  rankOfLane,
  type Slice,
} from '../../../ir/plan.ts';
import { TranslationGroup } from '../../../ir/translation-group.ts';
import { counted, formatSeconds } from '../../../ir/units.ts';
import { displayLimits } from '../../shown.ts';
import { wrap } from '../text.ts';

/** Returns the name of an operation's peer. */
type PeerName = (peer: number) => string;

/**
 * Writes the programs of a plan, in lines such as `0 send input[0..1] → 1  (step 1)`; `after 0.0` names the operations that it waits for
 * (lane.index).
 * @param recipe how the plan was made, from its origin; old plans and those of other programs have none
 */
export function showPlan(plan: Plan, width = displayLimits.width, recipe?: string): string {
  const lines = [planHeading(plan), ...recipeLines(recipe, width)];
  for (
    let rank = 0;
    rank < plan.buffers.length && plan.firstOp[plan.firstLane[rank]] < displayLimits.operations;
    rank++
  ) {
    lines.push('', `rank ${rank}: ${buffersText(plan, rank)}`, ...programLines(plan, rank, width, String));
  }
  const left = operationCount(plan) - displayLimits.operations;
  if (left > 0) {
    const rank = rankOfLane(plan, laneOf(plan, displayLimits.operations).lane);
    lines.push('', `… ${counted(left, 'more operation')} (from rank ${rank} on)`);
  }
  return `${lines.join('\n')}\n`;
}

/**
 * Writes the single program that all ranks of a compact plan execute. Peers are given by their displacement along each axis, shards relative to each
 * rank's own. Only the first operations of a long program are written.
 */
export function showCompactPlan(plan: CompactPlan, width = displayLimits.width, recipe?: string): string {
  const sole = soleProgram(plan);
  const group = new TranslationGroup(plan.shape);
  const shape = plan.shape.join('x');
  const shift = `Every rank of ${shape} runs it shifted: a peer is so many ranks further along each axis, and of N shards in a buffer`;
  const left = operationCount(sole) - displayLimits.operations;
  const lines = [
    planHeading(sole),
    ...recipeLines(recipe, width),
    ...wrap('', `${shift} the first is the rank's own.`.split(' '), width),
    '',
    `each rank: ${buffersText(sole, 0)}`,
    ...programLines(sole, 0, width, (peer) => displacement(peer, group)),
    ...(left > 0 ? ['', `… ${counted(left, 'more operation')}`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** Writes the recipe of a plan in full, on several lines if necessary. */
function recipeLines(recipe: string | undefined, width: number): readonly string[] {
  return recipe === undefined ? [] : wrap('recipe: ', oneLine(recipe).split(' '), width);
}

/** Writes the displacement of a peer along each axis, in the shorter direction: `+1,−2`. */
function displacement(peer: number, group: TranslationGroup): string {
  const steps = group.shape.map((extent, axis) => {
    const ahead = group.coordinate(peer, axis);
    if (ahead === 0) return '0';
    return 2 * ahead <= extent ? `+${ahead}` : `−${extent - ahead}`;
  });
  return steps.join(',');
}

function buffersText({ buffers }: Plan, rank: number): string {
  const { input, output, scratch } = buffers[rank];
  return `input ${input}, output ${output}, scratch ${scratch}`;
}

function programLines(plan: Plan, rank: number, width: number, nameOf: PeerName): string[] {
  const lines: string[] = [];
  for (let lane = plan.firstLane[rank]; lane < plan.firstLane[rank + 1]; lane++) {
    lines.push(...laneLines(plan, lane, width, nameOf));
  }
  return lines;
}

/** Writes name, collective and sizes of a plan on one line. */
export function planHeading(plan: Plan): string {
  const { collective } = plan;
  const facts = [
    `${collective.kind} on ${counted(collective.ranks, 'rank')}`,
    counted(operationCount(plan), 'operation'),
    `M = ${counted(messageChunks(collective), 'chunk')}`,
    ...(plan.bulks === 1 ? [] : [`${plan.bulks} bulks`]),
    ...(plan.scratchPerBulk === 1 ? [] : [`${plan.scratchPerBulk} copies of scratch`]),
    ...(collective.inPlace ? ['in place'] : []),
  ];
  return `${oneLine(plan.name)}: ${facts.join(', ')}`;
}

function laneLines(plan: Plan, lane: number, width: number, nameOf: PeerName): string[] {
  const first = plan.firstOp[lane];
  const last = Math.min(plan.firstOp[lane + 1], displayLimits.operations);
  if (first >= last) return [];
  const lines = [`  lane ${plan.laneId[lane]}`];
  const indexWidth = `${plan.firstOp[lane + 1] - first - 1}`.length;
  for (let operation = first; operation < last; operation++) {
    const index = `${operation - first}`.padStart(indexWidth);
    lines.push(...operationLines(index, operationAt(plan, operation), width, nameOf));
  }
  return lines;
}

function operationLines(index: string, operation: Operation, width: number, nameOf: PeerName): string[] {
  const text = `    ${index} ${operationText(operation, nameOf)}  (step ${operation.step})`;
  if (operation.after.length === 0) return [text];
  const waits = operation.after.map(
    ({ lane, index: at, bulks }) => `${lane}.${at}${bulks === 0 ? '' : ` (${counted(bulks, 'bulk')} earlier)`}`,
  );
  return wrap(`${text}  after `, waits, width, ',');
}

/** Writes an operation: `send input[0..1] → 1`, `recv output[6..7] ← 3`, `recvReduce output[0] ⊕ ← 3`, `copy input[0] → output[0]`. */
function operationText(operation: Operation, nameOf: PeerName): string {
  switch (operation.op) {
    case 'copy': {
      const { nanoseconds, src, dst } = operation;
      const word = nanoseconds === undefined ? 'copy' : `compute for ${formatSeconds(nanoseconds * 1e-9)},`;
      return `${word} ${sliceText(src)} → ${sliceText(dst)}`;
    }
    case 'reduce':
      return `reduce ${sliceText(operation.src)} ⊕→ ${sliceText(operation.dst)}${orderText(operation)}`;
    case 'send':
      return `send ${sliceText(operation.src)} → ${peerText(operation, nameOf)}`;
    case 'recv':
      return `recv ${sliceText(operation.dst)} ← ${peerText(operation, nameOf)}`;
    case 'recvReduce':
      return `recvReduce ${sliceText(operation.dst)} ⊕← ${peerText(operation, nameOf)}${orderText(operation)}`;
  }
}

/** Writes a slice: `input[3]`, `output[6..7]` (both ends included), `scratch[4..]` for an empty slice at 4. */
function sliceText({ buffer, offset, count }: Slice): string {
  if (count === 0) return `${buffer}[${offset}..]`;
  return count === 1 ? `${buffer}[${offset}]` : `${buffer}[${offset}..${offset + count - 1}]`;
}

function peerText({ peer, channel }: { readonly peer: number; readonly channel: number }, nameOf: PeerName): string {
  return channel === 0 ? nameOf(peer) : `${nameOf(peer)} channel ${channel}`;
}

function orderText({ order }: { readonly order: string }): string {
  return order === 'received-first' ? ', incoming first' : '';
}
