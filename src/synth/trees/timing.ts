/**
 * When each edge of packed trees is used, if messages take turns on the links and ports they have in common: list scheduling
 * with the longest remaining way first (Hu 1961; Graham 1969). Plans run asynchronously; the times only say who goes first
 * where several could.
 */
import { KeyedHeap } from '../../cost/keyed-heap.ts';
import { rounding } from '../../ir/units.ts';
import type { Tree } from './pack.ts';

/** How long one tree keeps a link or port busy. */
export interface Load {
  /** Any number that stands for the link or port. */
  readonly resource: number;
  readonly time: number;
}

/** An edge of a batch of trees, which waits until everything it needs is free. */
interface Use {
  readonly loads: readonly Load[];
  readonly amount: number;
  readonly duration: number;
  /** From its start until the last node below has everything. */
  remaining: number;
  /** Numbers of the uses that its arrival makes possible. */
  readonly next: number[];
}

/**
 * Start times of every edge of every tree, tree after tree in the order of their edges.
 *
 * @param loads what one tree needs on an edge; `edge` counts all edges of all trees
 */
export function startTimes(trees: readonly Tree[], loads: (edge: number) => readonly Load[]): Float64Array {
  const uses: Use[] = [];
  const ready = trees.flatMap((tree) => addUses(uses, tree, loads));
  const started = new Float64Array(uses.length);
  const busyUntil = new Map<number, number>();
  // Ends of uses, and of the time that a resource is busy (−1).
  const events = new KeyedHeap();
  for (let now = 0; ; now = events.leastKey) {
    const soon = now * (1 + rounding);
    while (events.leastKey <= soon) {
      const use = events.pop();
      if (use >= 0) ready.push(...uses[use].next);
    }
    ready.sort((a, b) => uses[b].remaining - uses[a].remaining || a - b);
    let waiting = 0;
    for (const use of ready) {
      const { loads: needed, amount, duration } = uses[use];
      if (needed.some(({ resource }) => (busyUntil.get(resource) ?? 0) > soon)) {
        ready[waiting++] = use;
        continue;
      }
      started[use] = now;
      for (const { resource, time } of needed) {
        busyUntil.set(resource, now + time * amount);
        if (time * amount < duration) events.push(now + time * amount, -1);
      }
      events.push(now + duration, use);
    }
    ready.length = waiting;
    if (events.length === 0) return started;
  }
}

/** Adds the uses of one tree, and returns those of the edges at its root. */
function addUses(uses: Use[], { amount, edges }: Tree, loads: (edge: number) => readonly Load[]): number[] {
  const base = uses.length;
  const atRoot: number[] = [];
  const useInto = new Map<number, number>();
  for (const [index, { from, to }] of edges.entries()) {
    const needed = loads(base + index);
    const duration = needed.reduce((most, { time }) => Math.max(most, time * amount), 0);
    uses.push({ loads: needed, amount, duration, remaining: 0, next: [] });
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
