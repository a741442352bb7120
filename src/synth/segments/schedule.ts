/** From the messages of a tree to a schedule. */
import type { Collective } from '../../ir/collective.ts';
import { type Piece, type Schedule, StepsBuilder } from '../../ir/schedule.ts';
import type { Handover } from './splitting.ts';

/**
 * The broadcast or scatter over a tree.
 *
 * @param tree in the order in which messages start
 */
export function treeSchedule(name: string, collective: Collective, tree: readonly Handover[]): Schedule {
  const builder = new StepsBuilder();
  for (const step of inSteps(tree, collective.ranks)) {
    for (const { from, to, ranks } of step) {
      const transfer = { kind: 'copy', order: 'held-first', channel: 0, origin: undefined } as const;
      builder.add({ ...transfer, source: from, destination: to, pieces: piecesFor(collective, to, ranks) });
    }
    builder.endStep();
  }
  return { name, collective, scratch: 0, commutative: false, ring: false, steps: builder.build() };
}

/** Messages of a tree in steps: after that which brought their data, and after those in which their sender sent before. */
function inSteps(tree: readonly Handover[], ranks: number): Handover[][] {
  const next = new Int32Array(ranks);
  const steps: Handover[][] = [];
  for (const message of tree) {
    const step = next[message.from];
    next[message.from] = step + 1;
    next[message.to] = step + 1;
    steps[step] ??= [];
    steps[step].push(message);
  }
  return steps;
}

/** The allgather in which shards go round a ring: in step s everyone sends on what came in the step before, at first what is its own. */
export function ringSchedule(name: string, collective: Collective, ring: readonly number[]): Schedule {
  const { ranks, chunks } = collective;
  const builder = new StepsBuilder();
  for (let step = 0; step < ranks - 1; step++) {
    for (let at = 0; at < ranks; at++) {
      const shard = ring[(at - step + ranks) % ranks];
      const transfer = { kind: 'copy', order: 'held-first', channel: 0, origin: undefined } as const;
      const pieces = [piece(shard * chunks, chunks)];
      builder.add({ ...transfer, source: ring[at], destination: ring[(at + 1) % ranks], pieces });
    }
    builder.endStep();
  }
  return { name, collective, scratch: 0, commutative: false, ring: false, steps: builder.build() };
}

/** Shards that are neighbours as one piece; that of the receiver, which lies in its output, is a piece of its own. */
function piecesFor({ kind, chunks }: Collective, to: number, ranks: readonly number[]): Piece[] {
  if (kind === 'broadcast') return [piece(0, chunks)];
  const others = ranks.filter((rank) => rank !== to).sort((a, b) => a - b);
  const pieces = [piece(to * chunks, chunks)];
  for (let i = 0; i < others.length; ) {
    const first = i++;
    while (i < others.length && others[i] === others[i - 1] + 1) i++;
    pieces.push(piece(others[first] * chunks, (i - first) * chunks));
  }
  return pieces;
}

function piece(offset: number, count: number): Piece {
  return { from: 'data', fromOffset: offset, to: 'data', toOffset: offset, count };
}
