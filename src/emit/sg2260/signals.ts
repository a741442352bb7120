/**
 * Signals between the queues of a chip, which run concurrently. If a command waits for a command of another queue, the latter signals one of the
 * chip's numbers. All signals from one queue to another form a stream, which uses its numbers in turn. Before a number is reused, the sender waits
 * for a signal in a stream of the opposite direction that the previous signal with the number has been received.
 */
import type { Edge } from './live.ts';
import type { Queues } from './queues.ts';

export interface Signals {
  /** By entry: the numbers for which it waits before it begins, and those that it signals on completion. */
  readonly waits: ReadonlyMap<number, readonly number[]>;
  readonly posts: ReadonlyMap<number, readonly number[]>;
  /** Dependencies that the opposite streams add. */
  readonly added: readonly Edge[];
}

/** The signals from one queue to another: entry `from[i]` sends the i-th one, and `to[i]` waits for it. */
interface Stream {
  readonly from: number[];
  readonly to: number[];
}

/** Assigns numbers to signals. Returns undefined if a chip has fewer numbers than streams need. @param ids how many numbers a chip has */
export function signalsOf(queues: Queues, ids: number): Signals | undefined {
  const [waits, posts] = [new Map<number, number[]>(), new Map<number, number[]>()];
  const added: Edge[] = [];
  const signal = (from: number, to: number, id: number): void => {
    posts.set(from, [...(posts.get(from) ?? []), id]);
    waits.set(to, [...(waits.get(to) ?? []), id]);
  };
  for (const streams of streamsByRank(queues)) {
    const all = streams.reduce((sum, { from }) => sum + from.length, 0);
    // Half of each share is for the opposite stream.
    const share = all <= ids ? ids : Math.floor(ids / (2 * streams.length));
    if (share === 0) return undefined;
    let next = 0;
    for (const { from, to } of streams) {
      const numbers = Math.min(from.length, share);
      from.forEach((giver, i) => {
        signal(giver, to[i], next + (i % numbers));
        if (i < numbers) return;
        signal(to[i - numbers], giver, next + numbers + (i % numbers));
        added.push([to[i - numbers], giver]);
      });
      next += from.length > numbers ? 2 * numbers : numbers;
    }
  }
  return { waits, posts, added };
}

function streamsByRank({ queues, queueOf, neededBy }: Queues): readonly (readonly Stream[])[] {
  const place = new Int32Array(queueOf.length);
  for (const { entries } of queues) {
    entries.forEach((entry, at) => {
      place[entry] = at;
    });
  }
  const byRank = new Map<number, Stream[]>();
  for (const { rank, entries } of queues) {
    const streams = new Map<number, Stream>();
    for (const entry of entries) {
      // An entry waits for the latest entry that it needs of each other queue. Earlier entries are implied, and so is what an earlier wait covers.
      const latest = new Map<number, number>();
      for (const needed of neededBy(entry)) {
        const queue = queueOf[needed];
        const other = latest.get(queue);
        if (other === undefined || place[needed] > place[other]) latest.set(queue, needed);
      }
      latest.delete(queueOf[entry]);
      for (const [queue, needed] of latest) {
        const stream = streams.get(queue) ?? { from: [], to: [] };
        streams.set(queue, stream);
        const last = stream.from[stream.from.length - 1];
        if (last !== undefined && place[last] >= place[needed]) continue;
        stream.from.push(needed);
        stream.to.push(entry);
      }
    }
    byRank.set(rank, [...(byRank.get(rank) ?? []), ...streams.values()]);
  }
  return [...byRank.values()];
}
