/** The global view of a plan: what it sends when, as a schedule of the plan's own buffers. */
import { laneOf, type Operation, operationAt, operationCount, type Plan, rankOfLane, type Slice } from '../ir/plan.ts';
import { type Piece, type Schedule, StepsBuilder, type Transfer } from '../ir/schedule.ts';

/** Parts of a step: what packs messages, the messages, what unpacks them. */
const [packing, sending, unpacking, parts] = [0, 1, 2, 3] as const;

/**
 * Matches sends with receives and puts every operation in the step that the plan gives it; a message in the step of its send, local
 * operations before it if a message of that step is made of what they write, else behind it where they read scratch.
 * Nothing says that the steps mean what the dependencies of the plan mean: the schedule has to be proved like any other.
 *
 * @returns undefined where a message is sent and received in parts, or never
 */
export function scheduleOfPlan(plan: Plan): Schedule | undefined {
  const waiting = new Map<string, { readonly step: number; readonly source: number; readonly src: Slice }[]>();
  const steps: Transfer[][] = [];
  const receives: { readonly rank: number; readonly operation: Extract<Operation, { op: 'recv' | 'recvReduce' }> }[] =
    [];
  const locals: { readonly rank: number; readonly operation: Extract<Operation, { op: 'copy' | 'reduce' }> }[] = [];
  const sent = new Map<string, Slice[]>();
  const add = (step: number, transfer: Transfer): void => {
    steps[step] ??= [];
    steps[step].push(transfer);
  };
  for (let index = 0; index < operationCount(plan); index++) {
    const rank = rankOfLane(plan, laneOf(plan, index).lane);
    const operation = operationAt(plan, index);
    switch (operation.op) {
      case 'send': {
        const key = `${rank} ${operation.peer} ${operation.channel}`;
        const queue = waiting.get(key) ?? [];
        queue.push({ step: operation.step, source: rank, src: operation.src });
        waiting.set(key, queue);
        const inStep = `${rank} ${operation.step}`;
        sent.set(inStep, [...(sent.get(inStep) ?? []), operation.src]);
        break;
      }
      case 'recv':
      case 'recvReduce':
        receives.push({ rank, operation });
        break;
      default:
        locals.push({ rank, operation });
    }
  }
  for (const { rank, operation } of locals) {
    const { src, dst, step } = operation;
    const order = operation.op === 'reduce' ? operation.order : 'held-first';
    const ends = { source: rank, destination: rank, channel: 0, order, origin: operation.origin };
    const isSent = sent.get(`${rank} ${step}`)?.some((slice) => overlap(slice, dst)) ?? false;
    const part = isSent || src.buffer !== 'scratch' ? packing : unpacking;
    add(step * parts + part, { ...ends, kind: operation.op, pieces: [pieceOf(src, dst)] });
  }
  for (const { rank, operation } of receives) {
    const message = waiting.get(`${operation.peer} ${rank} ${operation.channel}`)?.shift();
    if (message === undefined || message.src.count !== operation.dst.count) return undefined;
    add(message.step * parts + sending, {
      kind: operation.op === 'recv' ? 'copy' : 'reduce',
      source: message.source,
      destination: rank,
      channel: operation.channel,
      order: operation.op === 'recvReduce' ? operation.order : 'held-first',
      pieces: [pieceOf(message.src, operation.dst)],
      origin: operation.origin,
    });
  }
  const builder = new StepsBuilder();
  for (const transfers of steps) {
    for (const transfer of transfers ?? []) builder.add(transfer);
    builder.endStep();
  }
  const scratch = plan.buffers.reduce((most, buffers) => Math.max(most, buffers.scratch), 0);
  const { name, collective } = plan;
  return { name, collective, scratch, commutative: true, ring: false, steps: builder.build() };
}

function pieceOf(src: Slice, dst: Slice): Piece {
  return { from: src.buffer, fromOffset: src.offset, to: dst.buffer, toOffset: dst.offset, count: src.count };
}

function overlap(a: Slice, b: Slice): boolean {
  return a.buffer === b.buffer && a.offset < b.offset + b.count && b.offset < a.offset + a.count;
}
