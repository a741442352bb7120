/** Schedules of packed trees: chunks of a root are shared out among its trees, and travel down them edge by edge. */
import { type Collective, collectiveFacts } from '../../ir/collective.ts';
import { type Piece, type Schedule, StepsBuilder } from '../../ir/schedule.ts';
import { greatestCommonDivisor } from '../../ir/whole-numbers.ts';
import type { Tree } from './pack.ts';

/**
 * Who waits for whom on a connection. `own`: every tree has a channel of its own there, so that data never stands in line
 * behind data that comes later, also from one bulk to the next. `merged`: what crosses in a step is one message, which saves
 * latency.
 */
export type Lanes = 'own' | 'merged';

/** The chunks that each root's trees need: trees of equal batches carry equal parts. */
export function chunksOf(trees: readonly Tree[]): number {
  const first = trees[0].root;
  const ofFirst = trees.filter(({ root }) => root === first).reduce((sum, { amount }) => sum + amount, 0);
  return ofFirst / trees.reduce((common, { amount }) => greatestCommonDivisor(common, amount), 0);
}

/**
 * The allgather or broadcast that sends the chunks of each root down its trees; an edge of depth d is used in step d.
 *
 * @param collective its C is a multiple of `chunksOf(trees)`
 */
export function scheduleOf(name: string, trees: readonly Tree[], collective: Collective, lanes: Lanes): Schedule {
  const { ranks, chunks } = collective;
  const share = chunks / chunksOf(trees);
  const common = trees.reduce((divisor, { amount }) => greatestCommonDivisor(divisor, amount), 0);
  const messages: Message[][] = [];
  const nextChunk = new Int32Array(ranks);
  const channels = new Map<number, number>();
  for (const { root, amount, edges } of trees) {
    const count = (amount / common) * share;
    const offset = (collectiveFacts[collective.kind].sharded ? root * chunks : 0) + nextChunk[root];
    nextChunk[root] += count;
    for (const { from, to, depth } of edges) {
      const connection = from * ranks + to;
      const channel = lanes === 'own' ? (channels.get(connection) ?? 0) : 0;
      channels.set(connection, channel + 1);
      while (messages.length < depth) messages.push([]);
      messages[depth - 1].push({ from, to, channel, offset, count });
    }
  }
  const builder = new StepsBuilder();
  for (const step of messages) {
    for (const group of lanes === 'merged' ? byConnection(step, ranks) : step.map((message) => [message])) {
      const [{ from, to, channel }] = group;
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

/** Chunks that go from one rank to another in a step. */
interface Message {
  readonly from: number;
  readonly to: number;
  readonly channel: number;
  readonly offset: number;
  readonly count: number;
}

function byConnection(step: readonly Message[], ranks: number): Message[][] {
  const groups = new Map<number, Message[]>();
  for (const message of step) {
    const connection = message.from * ranks + message.to;
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
