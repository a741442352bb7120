/**
 * When each edge of packed trees is used, if trees take turns on the links they have in common: list scheduling with the
 * longest remaining way first (Hu 1961; Graham 1969). Plans run asynchronously; the times only say who goes first where
 * several could.
 */
import { KeyedHeap } from '../../cost/keyed-heap.ts';
import type { Tree } from './pack.ts';

/** An edge of a batch of trees, which waits for its turn on its link. */
interface Use {
  /** From · N + to. */
  readonly link: number;
  readonly duration: number;
  /** From its start until the last node below has everything. */
  remaining: number;
  /** Numbers of the uses that its arrival makes possible. */
  readonly next: number[];
}

/** Instants that differ by less are one. */
const sameInstant = 1e-9;

/**
 * Start times of every edge of every tree, tree after tree in the order of their edges; the unit is what one tree takes on a
 * link with capacity for one.
 *
 * @param capacity in trees, by from · ranks + to
 */
export function startTimes(trees: readonly Tree[], capacity: Float64Array, ranks: number): Float64Array {
  const uses: Use[] = [];
  const first = trees.flatMap((tree) => addUses(uses, tree, capacity, ranks));
  const started = new Float64Array(uses.length);
  const waiting = new Map<number, number[]>();
  const busy = new Set<number>();
  const ends = new KeyedHeap();
  let [now, ready] = [0, first];
  for (;;) {
    for (const use of ready) {
      const queue = waiting.get(uses[use].link);
      if (queue === undefined) waiting.set(uses[use].link, [use]);
      else queue.push(use);
    }
    for (const [link, queue] of waiting) {
      if (busy.has(link)) continue;
      const use = takeMostUrgent(queue, uses);
      if (queue.length === 0) waiting.delete(link);
      busy.add(link);
      started[use] = now;
      ends.push(now + uses[use].duration, use);
    }
    if (ends.length === 0) return started;
    now = ends.leastKey;
    ready = [];
    while (ends.leastKey <= now + sameInstant) {
      const { link, next } = uses[ends.pop()];
      busy.delete(link);
      ready.push(...next);
    }
  }
}

/** Adds the uses of one tree, and returns those of the edges at its root. */
function addUses(uses: Use[], { amount, edges }: Tree, capacity: Float64Array, ranks: number): number[] {
  const base = uses.length;
  const atRoot: number[] = [];
  const useInto = new Map<number, number>();
  for (const [index, { from, to }] of edges.entries()) {
    const link = from * ranks + to;
    uses.push({ link, duration: amount / capacity[link], remaining: 0, next: [] });
    useInto.set(to, base + index);
    const before = useInto.get(from);
    if (before === undefined) atRoot.push(base + index);
    else uses[before].next.push(base + index);
  }
  for (let use = uses.length - 1; use >= base; use--) {
    const { next, duration } = uses[use];
    uses[use].remaining = next.reduce((most, after) => Math.max(most, uses[after].remaining), 0) + duration;
  }
  return atRoot;
}

/** Takes the use with the longest remaining way out of a queue; of several the one that was ready first. */
function takeMostUrgent(queue: number[], uses: readonly Use[]): number {
  let best = 0;
  for (let place = 1; place < queue.length; place++) {
    if (uses[queue[place]].remaining > uses[queue[best]].remaining + sameInstant) best = place;
  }
  return queue.splice(best, 1)[0];
}
