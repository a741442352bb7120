/** Shows level 2 of a plan: which ranks exchange messages, how many and how much, and the programs in short. */

import { messageChunks } from '../../../ir/collective.ts';
import { OperationCode, operationCount, type Plan, rankOfLane } from '../../../ir/plan.ts';
import { counted } from '../../../ir/units.ts';
import { displayLimits } from '../../shown.ts';
import { elidedRows, formatTable } from '../table.ts';
import { wrap } from '../text.ts';
import { fractionOfMessage } from './amounts.ts';
import { planHeading } from './plan.ts';

/** A pair of ranks that exchange messages in one direction, over all channels and bulks. */
export interface OverlayEdge {
  readonly from: number;
  readonly to: number;
  readonly messages: number;
  /** Chunks per bulk. As M is divided among the bulks, this as a fraction of M is the total amount of data. */
  readonly chunks: number;
}

/** Returns the pairs of ranks that exchange messages, ordered by sender, then receiver. */
export function overlayEdges(plan: Plan): OverlayEdge[] {
  const edges = new Map<number, { from: number; to: number; messages: number; chunks: number }>();
  const ranks = plan.buffers.length;
  for (let lane = 0; lane < plan.laneId.length; lane++) {
    const from = rankOfLane(plan, lane);
    for (let operation = plan.firstOp[lane]; operation < plan.firstOp[lane + 1]; operation++) {
      if (plan.ops.kind[operation] !== OperationCode.send) continue;
      const to = plan.ops.peer[operation];
      const edge = edges.get(from * ranks + to) ?? { from, to, messages: 0, chunks: 0 };
      edge.messages += plan.bulks;
      edge.chunks += plan.ops.srcCount[operation];
      edges.set(from * ranks + to, edge);
    }
  }
  return [...edges.values()].sort((a, b) => a.from - b.from || a.to - b.to);
}

/** Writes a table of overlay edges and, for small plans, one line per lane (`→1` send, `←3` receive, `⊕3` receive and reduce). */
export function showOverlay(plan: Plan, width = displayLimits.width): string {
  const edges = overlayEdges(plan);
  const whole = messageChunks(plan.collective);
  const rows = elidedRows(edges, displayLimits.rows, 'edge', ({ from, to, messages, chunks }) => [
    `${from} → ${to}`,
    `${messages}`,
    `${chunks}`,
    fractionOfMessage(chunks, whole),
  ]);
  const perBulk = plan.bulks === 1 ? '' : ' per bulk';
  const header = ['Overlay edge', 'Messages', `Chunks${perBulk}`, 'Amount'];
  const parts = [`${planHeading(plan)}\n${summary(plan, edges)}`];
  if (edges.length > 0) parts.push(formatTable({ header, rows }));
  if (operationCount(plan) <= displayLimits.operationsDrawn) parts.push(programs(plan, width).join('\n'));
  return `${parts.join('\n\n')}\n`;
}

function summary(plan: Plan, edges: readonly OverlayEdge[]): string {
  const messages = edges.reduce((sum, edge) => sum + edge.messages, 0);
  const chunks = edges.reduce((sum, edge) => sum + edge.chunks, 0);
  const receivers = new Int32Array(plan.buffers.length);
  for (const { from } of edges) receivers[from]++;
  const fewest = Math.min(...receivers);
  const most = Math.max(...receivers);
  const range = fewest === most ? `${most}` : `${fewest} to ${most}`;
  const moved = fractionOfMessage(chunks, messageChunks(plan.collective));
  const talk = `each rank sends to ${range} ${most === 1 ? 'other' : 'others'}`;
  return `overlay: ${counted(edges.length, 'edge')}, ${counted(messages, 'message')}, ${moved} in total; ${talk}`;
}

function programs(plan: Plan, width: number): string[] {
  const lines = ['programs (→ send, ← receive, ⊕ receive and reduce, × repeated)'];
  for (let rank = 0; rank < plan.buffers.length; rank++) {
    lines.push(`  rank ${rank}`);
    for (let lane = plan.firstLane[rank]; lane < plan.firstLane[rank + 1]; lane++)
      lines.push(...wrap(`    lane ${plan.laneId[lane]}  `, laneWords(plan, lane), width));
  }
  return lines;
}

/** Returns the operations of a lane as words; consecutive equal ones are written once. */
function laneWords(plan: Plan, lane: number): string[] {
  const words: { text: string; times: number }[] = [];
  for (let operation = plan.firstOp[lane]; operation < plan.firstOp[lane + 1]; operation++) {
    const text = operationWord(plan, operation);
    const last = words[words.length - 1];
    if (last?.text === text) last.times++;
    else words.push({ text, times: 1 });
  }
  return words.map(({ text, times }) => (times === 1 ? text : `${text}×${times}`));
}

function operationWord(plan: Plan, operation: number): string {
  const peer = plan.ops.peer[operation];
  switch (plan.ops.kind[operation]) {
    case OperationCode.send:
      return `→${peer}`;
    case OperationCode.recv:
      return `←${peer}`;
    case OperationCode.recvReduce:
      return `⊕${peer}`;
    case OperationCode.reduce:
      return 'reduce';
    default:
      return (plan.ops.nanoseconds?.[operation] ?? -1) >= 0 ? 'compute' : 'copy';
  }
}
