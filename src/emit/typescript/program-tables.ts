/** The programs of the ranks as source text: one line for each operation, lanes in arrays. */
import { type Operation, operationAt, type Plan, type Slice } from '../../ir/plan.ts';

/** `[ … ]` with the lanes of a rank; `indent` is that of its closing bracket. */
export function lanesText(plan: Plan, rank: number, indent: string): string {
  const first = plan.firstLane[rank];
  const rows = new Map<number, number>();
  for (let lane = first; lane < plan.firstLane[rank + 1]; lane++) rows.set(plan.laneId[lane], lane - first);
  const lanes: string[] = [];
  for (let lane = first; lane < plan.firstLane[rank + 1]; lane++) {
    const operations: string[] = [];
    for (let o = plan.firstOp[lane]; o < plan.firstOp[lane + 1]; o++)
      operations.push(operationText(operationAt(plan, o), rows));
    lanes.push(laneText(operations, `${indent}  `));
  }
  if (lanes.length === 0) return '[]';
  return `[\n${lanes.map((lane) => `${indent}  ${lane},\n`).join('')}${indent}]`;
}

function laneText(operations: readonly string[], indent: string): string {
  if (operations.length === 1 && indent.length + operations[0].length < 116) return `[${operations[0]}]`;
  return `[\n${operations.map((operation) => `${indent}  ${operation},\n`).join('')}${indent}]`;
}

function operationText(operation: Operation, rows: ReadonlyMap<number, number>): string {
  const fields = [`step: ${operation.step}`, ...ownFields(operation)];
  if (operation.after.length > 0) {
    const after = operation.after.map(
      ({ lane, index, bulks }) => `[${rows.get(lane)}, ${index}${bulks === 0 ? '' : `, ${bulks}`}]`,
    );
    fields.push(`after: [${after.join(', ')}]`);
  }
  return `{ ${fields.join(', ')} }`;
}

function ownFields(operation: Operation): readonly string[] {
  switch (operation.op) {
    case 'copy':
      return [`copy: ${sliceText(operation.src)}`, `into: ${sliceText(operation.dst)}`];
    case 'reduce':
      return [
        `reduce: ${sliceText(operation.src)}`,
        `into: ${sliceText(operation.dst)}`,
        ...orderFields(operation.order),
      ];
    case 'send':
      return [`send: ${sliceText(operation.src)}`, `to: ${operation.peer}`, `channel: ${operation.channel}`];
    case 'recv':
      return [`receive: ${sliceText(operation.dst)}`, `from: ${operation.peer}`, `channel: ${operation.channel}`];
    case 'recvReduce':
      return [
        `receiveReduce: ${sliceText(operation.dst)}`,
        `from: ${operation.peer}`,
        `channel: ${operation.channel}`,
        ...orderFields(operation.order),
      ];
  }
}

function orderFields(order: 'received-first' | 'held-first'): readonly string[] {
  return order === 'received-first' ? ['incomingFirst: true'] : [];
}

function sliceText({ buffer, offset, count }: Slice): string {
  return `${buffer}(${offset}, ${count})`;
}
