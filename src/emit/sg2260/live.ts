/** Checks that all queues finish in every run. */
import type { Queues } from './queues.ts';

/** An additional dependency, besides those of the queues: an entry, and the entry that must precede it. */
export type Edge = readonly [before: number, after: number];

/** @param inflight messages that a port holds, each of which is an entry of a send queue */
export function isLive(
  { queues, partner, neededBy, queueOf }: Queues,
  inflight: number | undefined,
  edges: readonly Edge[],
): boolean {
  const waiting = new Int32Array(queueOf.length);
  const followers: number[][] = Array.from(waiting, () => []);
  const add = (before: number, after: number): void => {
    followers[before].push(after);
    waiting[after]++;
  };
  for (const { engine, entries } of queues) {
    entries.forEach((entry, place) => {
      for (const needed of neededBy(entry)) if (queueOf[needed] !== queueOf[entry]) add(needed, entry);
      if (place > 0) add(entries[place - 1], entry);
      if (engine === 'receive') add(partner[entry], entry);
      // A port that holds k messages accepts the next one when the k-th last one has been received.
      const held = engine === 'send' && inflight !== undefined ? place - inflight : -1;
      if (held >= 0) add(partner[entries[held]], entry);
    });
  }
  for (const [before, after] of edges) add(before, after);
  const ready = Array.from(waiting.keys()).filter((entry) => waiting[entry] === 0);
  let done = 0;
  for (let entry = ready.pop(); entry !== undefined; entry = ready.pop()) {
    done++;
    for (const follower of followers[entry]) if (--waiting[follower] === 0) ready.push(follower);
  }
  return done === waiting.length;
}
