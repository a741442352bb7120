/**
 * Decides for the messages of one step of a reversed schedule whether they copy or reduce on arrival.
 *
 * The first message that arrives at an empty slot is a copy, all others are reductions. A message that would copy some of its chunks and reduce
 * others, or would reduce into a slot that another message of the step copies to, arrives in scratch instead. Local operations in separate steps then
 * move its chunks to their slots. That is cheaper than two messages, each of which would cost its latency.
 */
import type { Piece, Transfer } from '../ir/schedule.ts';
import { partition } from './pieces.ts';
import type { SlotFlags } from './slot-flags.ts';

export interface Delivery {
  /** The step itself, then a step of local copies out of scratch, then one of local reductions out of scratch. Any of them may be empty. */
  readonly steps: readonly (readonly Transfer[])[];
  /** Chunks of scratch that are used to stage messages. */
  readonly staging: number;
}

/**
 * @param arrivals the messages of the step
 * @param live the slots that hold data when the messages arrive; the slots that messages fill are added to it
 * @param firstStaging the first free chunk of scratch
 */
export function deliver(arrivals: readonly Transfer[], live: SlotFlags, firstStaging: number): Delivery {
  const reducesOnly = arrivals.map((arrival) => isLive(arrival, live));
  const direct: Transfer[] = [];
  const copies: Transfer[] = [];
  const reductions: Transfer[] = [];
  const staged = new Map<number, number>();
  arrivals.forEach((arrival, index) => {
    if (reducesOnly[index]) {
      direct.push({ ...arrival, kind: 'reduce' });
      return;
    }
    const { destination } = arrival;
    const held = arrive(arrival, live);
    if (!held.some((flags) => flags.includes(1))) {
      direct.push(arrival);
    } else {
      const start = firstStaging + (staged.get(destination) ?? 0);
      const { message, local, count } = throughScratch(arrival, start);
      const { passed, failed } = partition(local.pieces, (_, chunk, piece) => held[piece][chunk] === 1);
      direct.push(message);
      if (failed.length > 0) copies.push({ ...local, kind: 'copy', pieces: failed });
      if (passed.length > 0) reductions.push({ ...local, kind: 'reduce', pieces: passed });
      staged.set(destination, start + count - firstStaging);
    }
  });
  return { steps: [direct, copies, reductions], staging: Math.max(0, ...staged.values()) };
}

function isLive({ destination, pieces }: Transfer, live: SlotFlags): boolean {
  return pieces.every(({ to, toOffset, count }) => live.all(destination, to, toOffset, count));
}

/** For each chunk of each piece: 1 if it arrives at a slot that already holds data, possibly from the same message. Marks the slots as live. */
function arrive({ destination, pieces }: Transfer, live: SlotFlags): Uint8Array[] {
  return pieces.map(({ to, toOffset, count }) => {
    const held = live.copy(destination, to, toOffset, count);
    live.set(destination, to, toOffset, count, true);
    return held;
  });
}

/** Redirects a message to scratch from `start` on. Also returns the local transfer from there to its destination. */
function throughScratch(
  arrival: Transfer,
  start: number,
): { readonly message: Transfer; readonly local: Transfer; readonly count: number } {
  const there: Piece[] = [];
  const onwards: Piece[] = [];
  let next = start;
  for (const piece of arrival.pieces) {
    there.push({ ...piece, to: 'scratch', toOffset: next });
    onwards.push({ ...piece, from: 'scratch', fromOffset: next });
    next += piece.count;
  }
  const { destination } = arrival;
  return {
    message: { ...arrival, pieces: there },
    local: { ...arrival, source: destination, pieces: onwards },
    count: next - start,
  };
}
