/**
 * Who tells whom, by which number. Queues of a chip run side by side; where a command waits for one of another queue, that one signals a number of
 * the chip's. A stream is all that one queue tells another: its signals take the stream's numbers in turn, and where these go round, the sender
 * of a signal first waits to be told, in a stream of the opposite direction, that the one before with the same number has been taken.
 */
import type { Edge } from './live.ts';
import type { Queues } from './queues.ts';

export interface Signals {
  /** By entry: numbers that it waits for before it begins, and that it signals when it is complete. */
  readonly waits: ReadonlyMap<number, readonly number[]>;
  readonly posts: ReadonlyMap<number, readonly number[]>;
  /** What the opposite streams add to what entries wait for. */
  readonly added: readonly Edge[];
}

/** Signals of one queue to another: the i-th is given by `from[i]` and taken by `to[i]`. */
interface Stream {
  readonly from: number[];
  readonly to: number[];
}

/** Undefined where a chip has fewer numbers than streams. @param ids numbers of a chip */
export function signalsOf(queues: Queues, ids: number): Signals | undefined {
  const [waits, posts] = [new Map<number, number[]>(), new Map<number, number[]>()];
  const added: Edge[] = [];
  const signal = (from: number, to: number, id: number): void => {
    posts.set(from, [...(posts.get(from) ?? []), id]);
    waits.set(to, [...(waits.get(to) ?? []), id]);
  };
  for (const streams of streamsByRank(queues)) {
    const all = streams.reduce((sum, { from }) => sum + from.length, 0);
    // Half of a share is for the opposite stream.
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
      // Of each other queue the latest that is needed; what has been waited for before, or comes before that, is implied.
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
