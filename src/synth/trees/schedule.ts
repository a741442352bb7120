/** Schedules of packed trees: chunks of a root are shared out among its trees, and travel down them edge by edge. */
import { type Collective, collectiveFacts } from '../../ir/collective.ts';
import { type Piece, type Schedule, StepsBuilder } from '../../ir/schedule.ts';
import { greatestCommonDivisor, leastCommonMultiple } from '../../ir/whole-numbers.ts';
import type { Tree } from './pack.ts';
import type { Packing } from './packing.ts';
import { startTimes } from './timing.ts';
import { WayChoice, type Ways } from './ways.ts';

/**
 * How trees share connections. `own`: every tree has a channel of its own on each, so that data never stands in line behind
 * data that comes later, also from one bulk to the next; steps are the order of `startTimes`. `merged`: what crosses at one
 * depth is one message with a channel of that depth, which saves latency.
 */
export type Sharing = 'own' | 'merged';

/** More chunks than this are not worth their names: then trees get the nearest whole number of them. */
const mostChunks = 360;

/** The chunks that a shard is divided into, so that each of its root's trees carries a part like its width. */
export function chunksOf({ trees }: Packing): number {
  let chunks = 1;
  for (const [root, amount] of amountsOf(trees)) {
    const own = trees.filter((tree) => tree.root === root);
    const common = own.reduce((divisor, tree) => greatestCommonDivisor(divisor, tree.amount), 0);
    chunks = leastCommonMultiple(chunks, amount / common);
    if (chunks > mostChunks) return mostChunks;
  }
  return chunks;
}

/** Trees of each root. */
function amountsOf(trees: readonly Tree[]): Map<number, number> {
  const amounts = new Map<number, number>();
  for (const { root, amount } of trees) amounts.set(root, (amounts.get(root) ?? 0) + amount);
  return amounts;
}

/**
 * The allgather or broadcast that sends the chunks of each root down its trees.
 *
 * @param collective its C is a multiple of `chunksOf(packing)`; with any other, trees get the nearest whole number of chunks
 * @param ways what channels choose among on the machine that the schedule is for
 * @param firstNumber where channels begin, so that what comes before in a composition has its own
 */
export function scheduleOf(
  name: string,
  packing: Packing,
  collective: Collective,
  sharing: Sharing,
  ways: Ways,
  firstNumber = 0,
): Schedule {
  const messages = messagesOf(packing, collective, new WayChoice(packing, ways));
  const steps = sharing === 'own' ? inOrderOfTime(messages, packing, ways) : byDepth(messages);
  const builder = new StepsBuilder();
  const used = new Map<string, number>();
  for (const [index, step] of steps.entries()) {
    for (const group of sharing === 'own' ? step.map((message) => [message]) : byConnection(step)) {
      const [{ from, to, way }] = group;
      const connection = `${from} ${to} ${way}`;
      const number = sharing === 'merged' ? index : (used.get(connection) ?? 0);
      used.set(connection, number + 1);
      const channel = (firstNumber + number) * ways.choices(from, to) + way;
      const pieces = inOnePiece(group);
      builder.add({
        kind: 'copy',
        source: from,
        destination: to,
        channel,
        order: 'held-first',
        pieces,
        origin: undefined,
      });
    }
    builder.endStep();
  }
  return { name, collective, scratch: 0, commutative: false, ring: false, steps: builder.build() };
}

/** Chunks that go over one edge of a batch of trees. */
interface Message {
  readonly from: number;
  readonly to: number;
  readonly depth: number;
  /** Which of the routes between its ends it takes: what is left of its channel after division by their number. */
  readonly way: number;
  readonly offset: number;
  readonly count: number;
}

/** All messages, tree after tree. */
function messagesOf(packing: Packing, { kind, ranks, chunks }: Collective, choice: WayChoice): Message[] {
  const { trees } = packing;
  const amounts = amountsOf(trees);
  const given = new Float64Array(ranks);
  return trees.flatMap(({ root, amount, edges }) => {
    const chunkAt = (before: number): number => Math.round((chunks * before) / (amounts.get(root) ?? 1));
    const first = chunkAt(given[root]);
    given[root] += amount;
    const offset = first + (collectiveFacts[kind].sharded ? root * chunks : 0);
    const count = chunkAt(given[root]) - first;
    return edges.map(({ from, to, depth }) => ({ from, to, depth, way: choice.next(from, to, amount), offset, count }));
  });
}

function byDepth(messages: readonly Message[]): Message[][] {
  const steps: Message[][] = [];
  for (const message of messages) {
    if (message.count === 0) continue;
    while (steps.length < message.depth) steps.push([]);
    steps[message.depth - 1].push(message);
  }
  return steps;
}

function inOrderOfTime(messages: readonly Message[], { trees }: Packing, ways: Ways): Message[][] {
  const starts = startTimes(trees, (index) =>
    ways.loads(messages[index].from, messages[index].to, messages[index].way),
  );
  const sent = [...messages.keys()].filter((index) => messages[index].count > 0);
  const order = sent.sort((a, b) => starts[a] - starts[b] || a - b);
  const steps: Message[][] = [];
  let time = Number.NEGATIVE_INFINITY;
  for (const index of order) {
    if (starts[index] > time) steps.push([]);
    time = starts[index];
    steps[steps.length - 1].push(messages[index]);
  }
  return steps;
}

function byConnection(step: readonly Message[]): Message[][] {
  const groups = new Map<string, Message[]>();
  for (const message of step) {
    const connection = `${message.from} ${message.to} ${message.way}`;
    const group = groups.get(connection);
    if (group === undefined) groups.set(connection, [message]);
    else group.push(message);
  }
  return [...groups.values()];
}

/** The pieces of a message, neighbours joined. */
function inOnePiece(group: readonly Message[]): Piece[] {
  const pieces: { from: 'data'; fromOffset: number; to: 'data'; toOffset: number; count: number }[] = [];
  for (const { offset, count } of [...group].sort((a, b) => a.offset - b.offset)) {
    const last = pieces.at(-1);
    if (last !== undefined && last.fromOffset + last.count === offset) last.count += count;
    else pieces.push({ from: 'data', fromOffset: offset, to: 'data', toOffset: offset, count });
  }
  return pieces;
}
