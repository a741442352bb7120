/**
 * One run of a flat plan, as an order of its events. Senders wait in it until their receiver has reached the message, as if nothing were buffered;
 * only if all lanes would wait like that, one message is sent ahead. So a signal of readiness from the receiver can be added for nearly every message
 * without a cycle, since it points forward in this order.
 */
import type { FlatPlan } from './flat.ts';

/** By operation: the position at which its lane reaches it, and the position at which it is done. All positions are different. */
export interface RunOrder {
  readonly reached: Int32Array;
  readonly done: Int32Array;
}

/** @throws Error if operations wait for each other in a cycle, which does not happen in a proved plan */
export function runOrderOf({ operations, partner }: FlatPlan): RunOrder {
  const count = operations.length;
  const reached = new Int32Array(count).fill(-1);
  const done = new Int32Array(count).fill(-1);
  const missing = new Int32Array(count);
  const followers: number[][] = operations.map(() => []);
  operations.forEach(({ previous, after }, id) => {
    for (const earlier of previous === -1 ? after : [previous, ...after]) {
      followers[earlier].push(id);
      missing[id]++;
    }
  });
  let place = 0;
  let finished = 0;
  const open: number[] = [];
  for (let id = 0; id < count; id++) if (missing[id] === 0) open.push(id);
  const finish = (id: number): void => {
    done[id] = place++;
    finished++;
    for (const later of followers[id]) if (--missing[later] === 0) open.push(later);
  };
  const reach = (id: number): void => {
    reached[id] = place++;
    const { kind } = operations[id];
    if (kind === 'copy' || kind === 'reduce') finish(id);
    else if (kind === 'receive' && done[partner[id]] !== -1) finish(id);
    else if (reached[partner[id]] !== -1) {
      finish(kind === 'send' ? id : partner[id]);
      finish(kind === 'send' ? partner[id] : id);
    } else if (kind === 'send') waiting.push(id);
  };
  /** Sends that were reached before their receives, in the order in which that happened. */
  const waiting: number[] = [];
  let next = 0;
  for (let at = 0; finished < count; ) {
    if (at < open.length) {
      reach(open[at++]);
      continue;
    }
    while (next < waiting.length && done[waiting[next]] !== -1) next++;
    if (next === waiting.length) throw new Error('operations of a proved plan wait for each other in a cycle');
    finish(waiting[next]);
  }
  return { reached, done };
}
