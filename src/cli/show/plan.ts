/** A plan as people read it: rank by rank, lane by lane, one operation per line. */
import { messageChunks } from '../../ir/collective.ts';
import {
  laneOf,
  type Operation,
  operationAt,
  operationCount,
  type Plan,
  rankOfLane,
  type Slice,
} from '../../ir/plan.ts';
import { counted, defaultWidth, printable, wrap } from './text.ts';

/** Operations that are printed; the rest is counted. */
const mostOperations = 20_000;

/** The programs of a plan: `0 send input[0..1] → 1  (step 1)`, `after 0.0` for what it waits for (lane.index). */
export function showPlan(plan: Plan, width = defaultWidth): string {
  const lines = [planHeading(plan)];
  for (let rank = 0; rank < plan.buffers.length && plan.firstOp[plan.firstLane[rank]] < mostOperations; rank++) {
    const { input, output, scratch } = plan.buffers[rank];
    lines.push('', `rank ${rank}: input ${input}, output ${output}, scratch ${scratch}`);
    for (let lane = plan.firstLane[rank]; lane < plan.firstLane[rank + 1]; lane++)
      lines.push(...laneLines(plan, lane, width));
  }
  const left = operationCount(plan) - mostOperations;
  if (left > 0) {
    const rank = rankOfLane(plan, laneOf(plan, mostOperations).lane);
    lines.push('', `… ${counted(left, 'more operation')} (from rank ${rank} on)`);
  }
  return `${lines.join('\n')}\n`;
}

/** Name, collective and sizes of a plan on one line. */
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
  return `${printable(plan.name)}: ${facts.join(', ')}`;
}

function laneLines(plan: Plan, lane: number, width: number): string[] {
  const first = plan.firstOp[lane];
  const last = Math.min(plan.firstOp[lane + 1], mostOperations);
  if (first >= last) return [];
  const lines = [`  lane ${plan.laneId[lane]}`];
  const indexWidth = `${plan.firstOp[lane + 1] - first - 1}`.length;
  for (let operation = first; operation < last; operation++) {
    const index = `${operation - first}`.padStart(indexWidth);
    lines.push(...operationLines(index, operationAt(plan, operation), width));
  }
  return lines;
}

function operationLines(index: string, operation: Operation, width: number): string[] {
  const text = `    ${index} ${operationText(operation)}  (step ${operation.step})`;
  if (operation.after.length === 0) return [text];
  const waits = operation.after.map(
    ({ lane, index: at, bulks }) => `${lane}.${at}${bulks === 0 ? '' : ` (${counted(bulks, 'bulk')} earlier)`}`,
  );
  return wrap(`${text}  after `, waits, width, ',');
}

/** `send input[0..1] → 1`, `recv output[6..7] ← 3`, `recvReduce output[0] ⊕ ← 3`, `copy input[0] → output[0]`. */
function operationText(operation: Operation): string {
  switch (operation.op) {
    case 'copy':
      return `copy ${sliceText(operation.src)} → ${sliceText(operation.dst)}`;
    case 'reduce':
      return `reduce ${sliceText(operation.src)} ⊕→ ${sliceText(operation.dst)}${orderText(operation)}`;
    case 'send':
      return `send ${sliceText(operation.src)} → ${peerText(operation)}`;
    case 'recv':
      return `recv ${sliceText(operation.dst)} ← ${peerText(operation)}`;
    case 'recvReduce':
      return `recvReduce ${sliceText(operation.dst)} ⊕← ${peerText(operation)}${orderText(operation)}`;
  }
}

/** `input[3]`, `output[6..7]` (both ends included), `scratch[4..]` for an empty slice at 4. */
function sliceText({ buffer, offset, count }: Slice): string {
  if (count === 0) return `${buffer}[${offset}..]`;
  return count === 1 ? `${buffer}[${offset}]` : `${buffer}[${offset}..${offset + count - 1}]`;
}

function peerText({ peer, channel }: { readonly peer: number; readonly channel: number }): string {
  return channel === 0 ? `${peer}` : `${peer} channel ${channel}`;
}

function orderText({ order }: { readonly order: string }): string {
  return order === 'received-first' ? ', incoming first' : '';
}
