/** The global view of a plan: what it sends when, as a schedule of the plan's own buffers. */
import { laneOf, type Operation, operationAt, operationCount, type Plan, rankOfLane, type Slice } from '../ir/plan.ts';
import { type Piece, type Schedule, StepsBuilder, type Transfer } from '../ir/schedule.ts';

/** Parts of a step: what packs messages, the messages, what unpacks them. */
const [packing, sending, unpacking, parts] = [0, 1, 2, 3] as const;

type LocalOperation = Extract<Operation, { op: 'copy' | 'reduce' }>;
type ReceiveOperation = Extract<Operation, { op: 'recv' | 'recvReduce' }>;
type SendOperation = Extract<Operation, { op: 'send' }>;

/** An operation and whose it is. */
interface OfRank<Kind extends Operation> {
  readonly rank: number;
  readonly operation: Kind;
}

interface SortedOperations {
  readonly locals: readonly OfRank<LocalOperation>[];
  readonly receives: readonly OfRank<ReceiveOperation>[];
  readonly sends: readonly OfRank<SendOperation>[];
}

/**
 * Matches sends with receives and puts every operation in the step that the plan gives it; a message in the step of its send, local
 * operations before it if a message of that step is made of what they write, else behind it where they read scratch.
 * Nothing says that the steps mean what the dependencies of the plan mean: the schedule has to be proved like any other.
 *
 * @returns undefined where a message is sent and received in parts, or never
 */
export function scheduleOfPlan(plan: Plan): Schedule | undefined {
  const { locals, receives, sends } = sorted(plan);
  const messages = messagesOf(receives, sends);
  if (messages === undefined) return undefined;
  const steps: Transfer[][] = [];
  for (const { step, transfer } of [...localTransfers(locals, sends), ...messages]) {
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

function sorted(plan: Plan): SortedOperations {
  const locals: OfRank<LocalOperation>[] = [];
  const receives: OfRank<ReceiveOperation>[] = [];
  const sends: OfRank<SendOperation>[] = [];
  for (let index = 0; index < operationCount(plan); index++) {
    const rank = rankOfLane(plan, laneOf(plan, index).lane);
    const operation = operationAt(plan, index);
    switch (operation.op) {
      case 'send':
        sends.push({ rank, operation });
        break;
      case 'recv':
      case 'recvReduce':
        receives.push({ rank, operation });
        break;
      default:
        locals.push({ rank, operation });
    }
  }
  return { locals, receives, sends };
}

interface Placed {
  /** Counts parts of steps. */
  readonly step: number;
  readonly transfer: Transfer;
}

function localTransfers(locals: SortedOperations['locals'], sends: SortedOperations['sends']): Placed[] {
  const sent = groupedBy(sends, ({ rank, operation }) => `${rank} ${operation.step}`);
  return locals.map(({ rank, operation }) => {
    const { op, src, dst, step, origin } = operation;
    const nanoseconds = op === 'copy' ? operation.nanoseconds : undefined;
    const isSent = sent.get(`${rank} ${step}`)?.some((send) => overlap(send.operation.src, dst)) ?? false;
    const part = isSent || src.buffer !== 'scratch' ? packing : unpacking;
    const order = op === 'reduce' ? operation.order : 'held-first';
    const ends = { source: rank, destination: rank, channel: 0 };
    const pieces = [pieceOf(src, dst)];
    return { step: step * parts + part, transfer: { ...ends, kind: op, order, origin, pieces, nanoseconds } };
  });
}

/** The k-th receive of a connection takes what its k-th send sends; undefined where they do not match. */
function messagesOf(receives: SortedOperations['receives'], sends: SortedOperations['sends']): Placed[] | undefined {
  const waiting = groupedBy(sends, ({ rank, operation }) => `${rank} ${operation.peer} ${operation.channel}`);
  const messages: Placed[] = [];
  for (const { rank, operation } of receives) {
    const { op, peer, channel, dst, origin } = operation;
    const send = waiting.get(`${peer} ${rank} ${channel}`)?.shift()?.operation;
    if (send === undefined || send.src.count !== dst.count) return undefined;
    const order = op === 'recvReduce' ? operation.order : 'held-first';
    const kind = op === 'recv' ? 'copy' : 'reduce';
    const ends = { source: peer, destination: rank, channel };
    const transfer: Transfer = { ...ends, kind, order, origin, pieces: [pieceOf(send.src, dst)] };
    messages.push({ step: send.step * parts + sending, transfer });
  }
  return messages;
}

function groupedBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

function pieceOf(src: Slice, dst: Slice): Piece {
  return { from: src.buffer, fromOffset: src.offset, to: dst.buffer, toOffset: dst.offset, count: src.count };
}

function overlap(a: Slice, b: Slice): boolean {
  return a.buffer === b.buffer && a.offset < b.offset + b.count && b.offset < a.offset + a.count;
}
