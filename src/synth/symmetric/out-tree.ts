/**
 * The search for a translation-invariant allgather. Where every chip of a machine sees the same links, all ranks may do the
 * same thing: if rank 0's chunk travels over an out-tree, rank r's travels over the same tree shifted by r. In a step the
 * link that leaves a rank on generator g carries, for each tree edge (x ⊖ g, x) of the step, the chunk of one other rank;
 * so a step uses each link once if it informs at most one offset x per generator. Trees that use (almost) every
 * (generator, step) take ⌈(N − 1)·C / links per chip⌉ steps, which is the least that any allgather does.
 *
 * The search is random: as long as many offsets can be informed there is hardly a wrong choice, and where only few are
 * left a matching finds as many as there are. One attempt is linear in N·C·generators.
 */
import { Random } from '../../ir/random.ts';
import { Bag } from './bag.ts';
import type { TranslationGroup } from './group.ts';

/** A direction in which every chip has links: rank r's lead to rank r ⊕ offset. */
export interface Generator {
  readonly offset: number;
  /** Chunks that they carry in one step; ≥ 1. */
  readonly units: number;
}

/** One out-tree per chunk, as a table of their edges in the order of steps. */
export interface OutTrees {
  readonly stepCount: number;
  /** Row i: in step `step[i]` generator number `generator[i]` brings chunk `chunk[i]` of rank 0 to rank `offset[i]`. */
  readonly step: Int32Array;
  readonly generator: Int32Array;
  readonly chunk: Int32Array;
  readonly offset: Int32Array;
}

/** No search at random for fewer steps goes on beyond this many edges, except for the first attempt. */
const searchEffort = 4_000_000;
const mostAttempts = 64;

/**
 * Searches out-trees with as few steps as it can.
 *
 * @param generators must generate the group
 * @param chunks C ≥ 1: trees that share the (generator, step) slots
 * @throws Error if the generators do not reach every rank
 */
export function searchOutTrees(
  group: TranslationGroup,
  generators: readonly Generator[],
  chunks: number,
  seed: number,
): OutTrees {
  const random = new Random(seed);
  const edges = (group.order - 1) * chunks;
  const least = leastSteps(group, generators, chunks);
  const attempts = Math.max(
    1,
    Math.min(mostAttempts, Math.floor(searchEffort / Math.max(1, edges * generators.length))),
  );
  let best = new Attempt(group, generators, chunks, random).run();
  for (let attempt = 1; attempt < attempts && best.stepCount > least; attempt++) {
    const next = new Attempt(group, generators, chunks, random).run();
    if (next.stepCount < best.stepCount) best = next;
  }
  return best;
}

/** No out-trees have fewer steps: they need a (generator, unit, step) per edge. */
function leastSteps(group: TranslationGroup, generators: readonly Generator[], chunks: number): number {
  const perStep = generators.reduce((sum, { units }) => sum + units, 0);
  return Math.ceil(((group.order - 1) * chunks) / perStep);
}

/** One search at random. An item, chunk · N + offset, is a chunk of rank 0 and the rank it has to reach. */
class Attempt {
  private readonly group: TranslationGroup;
  private readonly translations: readonly ((rank: number) => number)[];
  private readonly chunks: number;
  private readonly random: Random;
  /** 1 + the step that informs the item; 0 as long as none does. */
  private readonly informed: Int32Array;
  /** Per generator: the items that it could inform, and some that have been informed meanwhile. */
  private readonly open: readonly Bag[];
  /** The generator of each unit slot, and the item that it carries in the current step (−1 for none). */
  private readonly slotGenerator: Int32Array;
  private readonly slotItem: Int32Array;
  /** The slot that carries an item informed in the current step. */
  private readonly slotOf: Int32Array;
  private readonly visited: Int32Array;
  private visit = 0;
  private step = 0;

  constructor(group: TranslationGroup, generators: readonly Generator[], chunks: number, random: Random) {
    this.group = group;
    this.translations = generators.map(({ offset }) => group.translation(offset));
    this.chunks = chunks;
    this.random = random;
    this.informed = new Int32Array(group.order * chunks);
    this.open = generators.map(() => new Bag());
    this.slotGenerator = Int32Array.from(generators.flatMap(({ units }, g) => new Array<number>(units).fill(g)));
    this.slotItem = new Int32Array(this.slotGenerator.length);
    this.slotOf = new Int32Array(group.order * chunks);
    this.visited = new Int32Array(this.slotGenerator.length);
  }

  run(): OutTrees {
    const { order } = this.group;
    const edges = (order - 1) * this.chunks;
    const table = {
      step: new Int32Array(edges),
      generator: new Int32Array(edges),
      chunk: new Int32Array(edges),
      offset: new Int32Array(edges),
    };
    for (let root = 0; root < this.informed.length; root += order) {
      this.informed[root] = 1;
      this.publish(root);
    }
    for (let row = 0; row < edges; this.step++) {
      const start = row;
      this.fillSlots();
      for (let slot = 0; slot < this.slotItem.length; slot++) {
        const item = this.slotItem[slot];
        if (item < 0) continue;
        table.step[row] = this.step;
        table.generator[row] = this.slotGenerator[slot];
        table.chunk[row] = Math.floor(item / order);
        table.offset[row] = item % order;
        row++;
      }
      if (row === start) throw new Error('the generators do not reach every rank');
      // What arrives in a step goes on in the next one at the earliest.
      for (const item of this.slotItem) if (item >= 0) this.publish(item);
    }
    return { stepCount: this.step, ...table };
  }

  /** Lets every generator inform what lies one step beyond an item. */
  private publish(item: number): void {
    const { order } = this.group;
    const offset = item % order;
    const base = item - offset;
    for (let g = 0; g < this.translations.length; g++) {
      const next = base + this.translations[g](offset);
      if (this.informed[next] === 0) this.open[g].add(next);
    }
  }

  /** Gives as many slots as possible an item of their own: greedily, and by augmenting paths where that fails (Kuhn 1955). */
  private fillSlots(): void {
    this.slotItem.fill(-1);
    for (let slot = 0; slot < this.slotItem.length; slot++) {
      if (this.takeFree(slot)) continue;
      this.visit++;
      this.takeFromOthers(slot);
    }
  }

  /** Gives the slot an open item that no slot has, if there is one. */
  private takeFree(slot: number): boolean {
    const bag = this.open[this.slotGenerator[slot]];
    let at = bag.size === 0 ? 0 : this.random.below(bag.size);
    for (let seen = 0; seen < bag.size; ) {
      if (at >= bag.size) at = 0;
      const item = bag.at(at);
      const since = this.informed[item];
      if (since === 0) {
        this.give(item, slot);
        return true;
      }
      if (since <= this.step) {
        bag.removeAt(at);
      } else {
        seen++;
        at++;
      }
    }
    return false;
  }

  /** Gives the slot an item of another slot that can take one else; `visit` marks the slots that have been asked. */
  private takeFromOthers(slot: number): boolean {
    this.visited[slot] = this.visit;
    const bag = this.open[this.slotGenerator[slot]];
    for (let at = 0; at < bag.size; at++) {
      const item = bag.at(at);
      const owner = this.slotOf[item];
      if (this.visited[owner] === this.visit) continue;
      if (!this.takeFree(owner) && !this.takeFromOthers(owner)) continue;
      this.give(item, slot);
      return true;
    }
    return false;
  }

  private give(item: number, slot: number): void {
    this.informed[item] = this.step + 1;
    this.slotItem[slot] = item;
    this.slotOf[item] = slot;
  }
}
