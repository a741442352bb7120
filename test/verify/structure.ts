/**
 * Whether a plan is one that the semantics of docs/plan-format.md is about at all, written down from there a second time: the tests hold the
 * verifier's first two rungs against it.
 */
import { memoryLayout } from '../../src/ir/collective.ts';
import { type Operation, operationAt, type Plan, rankOfLane, type Slice } from '../../src/ir/plan.ts';

export function structureOf(plan: Plan): 'malformed' | 'mismatched' | undefined {
  /** Per end of a connection: its lane, and the counts of its messages. */
  const ends = new Map<string, { readonly lane: number; readonly counts: number[] }>();
  for (let lane = 0; lane < plan.laneId.length; lane++) {
    const rank = rankOfLane(plan, lane);
    for (let o = plan.firstOp[lane]; o < plan.firstOp[lane + 1]; o++) {
      const operation = operationAt(plan, o);
      if (!isWellFormed(plan, rank, operation)) return 'malformed';
      if (operation.after.some(({ bulks, lane: id, index }) => waitsForItself(plan, lane, o, id, index, bulks))) {
        return 'malformed';
      }
      if (operation.op === 'copy' || operation.op === 'reduce') continue;
      const sends = operation.op === 'send';
      const route = sends ? `${rank} ${operation.peer}` : `${operation.peer} ${rank}`;
      const key = `${sends ? 'out' : 'in'} ${route} ${operation.channel}`;
      const end = ends.get(key) ?? { lane, counts: [] };
      if (end.lane !== lane) return 'malformed';
      end.counts.push((operation.op === 'send' ? operation.src : operation.dst).count);
      ends.set(key, end);
    }
  }
  for (const [key, { counts }] of ends) {
    const other = key.startsWith('out') ? key.replace('out', 'in') : key.replace('in', 'out');
    if (ends.get(other)?.counts.join() !== counts.join()) return 'mismatched';
  }
  return undefined;
}

function waitsForItself(plan: Plan, lane: number, at: number, id: number, index: number, bulks: number): boolean {
  return bulks < 0 || (bulks === 0 && plan.laneId[lane] === id && at - plan.firstOp[lane] === index);
}

function isWellFormed(plan: Plan, rank: number, operation: Operation): boolean {
  const inRange = ({ buffer, offset, count }: Slice): boolean =>
    count >= 1 && offset >= 0 && offset + count <= plan.buffers[rank][buffer];
  const slices = [...('src' in operation ? [operation.src] : []), ...('dst' in operation ? [operation.dst] : [])];
  if (!slices.every(inRange)) return false;
  if ('dst' in operation && operation.dst.buffer === 'input' && !plan.collective.inPlace) return false;
  if (operation.op === 'copy' || operation.op === 'reduce') {
    const source = cellsOf(plan, rank, operation.src);
    const target = cellsOf(plan, rank, operation.dst);
    return source.length === target.length && !source.some((cell) => target.includes(cell));
  }
  const { peer, channel } = operation;
  return peer >= 0 && peer < plan.buffers.length && peer !== rank && channel >= 0;
}

function cellsOf(plan: Plan, rank: number, { buffer, offset, count }: Slice): number[] {
  const { input, output, cells } = memoryLayout(plan.collective, rank);
  const first = { input, output, scratch: cells }[buffer] + offset;
  return Array.from({ length: count }, (_, i) => first + i);
}
