/** Reconstructs a schedule, the global view, from a plan. The schedule works on the plan's own buffers. */
import { type Operation, operationAt, type Plan, type Slice } from '../ir/plan.ts';
import { PlanIndex } from '../ir/plan-index.ts';
import { type Piece, type Schedule, StepsBuilder, type Transfer } from '../ir/schedule.ts';

/** The parts of a step, in order: local operations that prepare messages, the messages, local operations that use what arrived. */
const [packing, sending, unpacking, parts] = [0, 1, 2, 3] as const;

type LocalOperation = Extract<Operation, { op: 'copy' | 'reduce' }>;

/**
 * Puts every operation in the step that the plan records for it. A message belongs to the step of its send. A local operation precedes the messages
 * of its step if one of them sends what it writes; otherwise it follows them if it reads scratch. Nothing guarantees that these steps express the
 * plan's dependencies: the schedule has to be verified like any other.
 *
 * @returns undefined if a message has only one end, or ends of different lengths
 */
export function scheduleOfPlan(plan: Plan): Schedule | undefined {
  const messages = messagesOf(plan);
  if (messages === undefined) return undefined;
  const steps: Transfer[][] = [];
  for (const { step, transfer } of [...localTransfers(plan), ...messages]) {
    steps[step] ??= [];
    steps[step].push(transfer);
  }
  const builder = new StepsBuilder();
  for (const transfers of steps) {
    for (const transfer of transfers ?? []) builder.add(transfer);
    builder.endStep();
  }
  const scratch = plan.buffers.reduce((most, buffers) => Math.max(most, buffers.scratch), 0);
  const { name, collective, inTurn } = plan;
  const turns = inTurn === true ? { inTurn } : {};
  return { name, collective, scratch, commutative: true, ring: false, ...turns, steps: builder.build() };
}

interface Placed {
  /** The step, counted in parts of steps. */
  readonly step: number;
  readonly transfer: Transfer;
}

function localTransfers(plan: Plan): Placed[] {
  const { rankOf, connections } = PlanIndex.of(plan);
  /** The slices that each rank sends in each step, by `rank step`. */
  const sent = new Map<string, Slice[]>();
  for (const send of connections.sends) {
    const { src, step } = sendAt(plan, send);
    const key = `${rankOf[send]} ${step}`;
    const slices = sent.get(key);
    if (slices === undefined) sent.set(key, [src]);
    else slices.push(src);
  }
  const placed: Placed[] = [];
  rankOf.forEach((rank, index) => {
    const operation = operationAt(plan, index);
    if (operation.op !== 'copy' && operation.op !== 'reduce') return;
    const isSent = sent.get(`${rank} ${operation.step}`)?.some((src) => overlap(src, operation.dst)) ?? false;
    placed.push(localTransfer(rank, operation, isSent));
  });
  return placed;
}

function localTransfer(rank: number, operation: LocalOperation, isSent: boolean): Placed {
  const { op, src, dst, step, origin } = operation;
  const nanoseconds = op === 'copy' ? operation.nanoseconds : undefined;
  const part = isSent || src.buffer !== 'scratch' ? packing : unpacking;
  const order = op === 'reduce' ? operation.order : 'held-first';
  const ends = { source: rank, destination: rank, channel: 0 };
  const pieces = [pieceOf(src, dst)];
  return { step: step * parts + part, transfer: { ...ends, kind: op, order, origin, pieces, nanoseconds } };
}

/** All messages, in the order of their receives; undefined if a receive has no send of the same length. */
function messagesOf(plan: Plan): Placed[] | undefined {
  const { rankOf, connections } = PlanIndex.of(plan);
  const messages: Placed[] = [];
  for (const receive of connections.receives.toSorted()) {
    const operation = operationAt(plan, receive);
    const partner = connections.partner[receive];
    if ((operation.op !== 'recv' && operation.op !== 'recvReduce') || partner < 0) return undefined;
    const { src, step } = sendAt(plan, partner);
    const { op, peer, channel, dst, origin } = operation;
    if (src.count !== dst.count) return undefined;
    const order = op === 'recvReduce' ? operation.order : 'held-first';
    const kind = op === 'recv' ? 'copy' : 'reduce';
    const ends = { source: peer, destination: rankOf[receive], channel };
    const transfer: Transfer = { ...ends, kind, order, origin, pieces: [pieceOf(src, dst)] };
    messages.push({ step: step * parts + sending, transfer });
  }
  return messages;
}

function sendAt(plan: Plan, index: number): Extract<Operation, { op: 'send' }> {
  const operation = operationAt(plan, index);
  if (operation.op !== 'send') throw new Error(`operation ${index} of ${plan.name} does not send`);
  return operation;
}

function pieceOf(src: Slice, dst: Slice): Piece {
  return { from: src.buffer, fromOffset: src.offset, to: dst.buffer, toOffset: dst.offset, count: src.count };
}

function overlap(a: Slice, b: Slice): boolean {
  return a.buffer === b.buffer && a.offset < b.offset + b.count && b.offset < a.offset + a.count;
}
