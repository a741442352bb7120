/**
 * One run of the blocks, in which each block in turn performs an action or waits. If several blocks signal on one channel, or wait on it, the run
 * decides which wait gets which signal. The blocks into which a long lane of a plan was cut run one after the other.
 */
import type { Act } from './acts.ts';

/** By action: its position in the run. If all blocks wait for each other, they continue as if they did not. */
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

/** The actions of a block, and how many of them it has performed. */
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
  /** By counter: signals that no wait has consumed yet; negative if a wait continued without a signal. */
  private readonly counts = new Map<object, number>();
  /** First cells of the packets that have been written. */
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

/** The first cells of the packets of an action; each packet has two cells. */
function cellsOf({ span, count }: Extract<Act, { what: 'packets' | 'wait for packets' }>): number[] {
  return Array.from({ length: count }, (_, element) => span.first + 2 * element);
}
