/**
 * One run of the blocks, in which each does one act in turn, or waits. Where several blocks signal on one channel, or wait
 * on it, it decides which wait gets which signal: the blocks of one long lane of a plan come one after the other.
 */
import type { Act } from './acts.ts';

/** By act: its place in the run. Where all blocks wait for each other, they go on as if they did not. */
export function runOrderOfActs(acts: readonly Act[]): Int32Array {
  const run = new ActRun();
  const places = new Int32Array(acts.length);
  let place = 0;
  let blocks = [...blocksOf(acts).values()];
  while (blocks.length > 0) {
    const before = place;
    for (const block of blocks) {
      const act = block.acts[block.next];
      if (act === undefined || !run.isPossible(acts[act])) continue;
      run.happen(acts[act]);
      places[act] = place++;
      block.next++;
    }
    if (place === before) {
      for (const block of blocks) {
        run.happen(acts[block.acts[block.next]]);
        places[block.acts[block.next++]] = place++;
      }
    }
    blocks = blocks.filter(({ acts: all, next }) => next < all.length);
  }
  return places;
}

/** Acts of a block by their number, and how many of them it has done. */
interface BlockProgress {
  readonly acts: number[];
  next: number;
}

function blocksOf(acts: readonly Act[]): ReadonlyMap<string, BlockProgress> {
  const blocks = new Map<string, BlockProgress>();
  acts.forEach(({ gpu, block }, act) => {
    const key = `${gpu}.${block}`;
    const known = blocks.get(key);
    if (known === undefined) blocks.set(key, { acts: [act], next: 0 });
    else known.acts.push(act);
  });
  return blocks;
}

class ActRun {
  /** By counter: signals that no wait has taken yet; below zero where a wait went on without one. */
  private readonly counts = new Map<object, number>();
  /** Cells of packets that have been written. */
  private readonly written = new Set<number>();

  isPossible(act: Act): boolean {
    switch (act.what) {
      case 'wait':
      case 'acquire':
        return (this.counts.get(act.counter) ?? act.counter.initial) > 0;
      case 'wait for packets':
        return cellsOf(act).every((cell) => this.written.has(cell));
      default:
        return true;
    }
  }

  happen(act: Act): void {
    switch (act.what) {
      case 'signal':
      case 'release':
        this.counts.set(act.counter, (this.counts.get(act.counter) ?? act.counter.initial) + 1);
        return;
      case 'wait':
      case 'acquire':
        this.counts.set(act.counter, (this.counts.get(act.counter) ?? act.counter.initial) - 1);
        return;
      case 'packets':
        for (const cell of cellsOf(act)) this.written.add(cell);
    }
  }
}

/** First cells of the packets of an act; each takes two. */
function cellsOf({ span, count }: Extract<Act, { what: 'packets' | 'wait for packets' }>): number[] {
  return Array.from({ length: count }, (_, element) => span.first + 2 * element);
}
