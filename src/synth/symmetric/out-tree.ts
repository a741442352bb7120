/**
 * Searches translation-invariant allgathers. If rank 0's chunk travels over an out-tree, rank r's travels over the same
 * tree shifted by r. In a step the link of generator g leaving a rank carries, for each tree edge (x ⊖ g, x) of the
 * step, the chunk of one other rank; so a step uses each link once if it informs at most one offset x per generator.
 * Trees that use (almost) every pair (generator, step) take ⌈(N − 1)·C / links per chip⌉ steps, the minimum of any
 * allgather.
 * The search is randomised: while many offsets can be informed hardly any choice is wrong; when few are left, a
 * bipartite matching finds as many as possible. One attempt is linear in N·C·generators.
 */
import { Random } from '../../ir/random.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';
import { distancesFrom } from '../distances.ts';
import { maxAttempts } from '../limits.ts';

/** A direction in which every chip has links: those of rank r lead to rank r ⊕ offset. */
export interface TreeGenerator {
  readonly offset: number;
  /** Chunks that such a link carries in one step; ≥ 1. */
  readonly units: number;
}

/** One out-tree per chunk, as a table of their edges in the order of steps. */
export interface OutTrees {
  readonly stepCount: number;
  /** Row i: in step `step[i]` generator `generator[i]` delivers chunk `chunk[i]` of rank 0 to rank `offset[i]`. */
  readonly step: Int32Array;
  readonly generator: Int32Array;
  readonly chunk: Int32Array;
  readonly offset: Int32Array;
}

/** Beyond this many edges only one attempt is made. */
const mostEdges = 4_000_000;

/**
 * Searches out-trees with as few steps as possible.
 * @param generators must generate the group
 * @param chunks C ≥ 1: trees that share the (generator, step) slots
 * @param rounds `rounds[step]`: how many times its units a generator carries in the step, in one message; 1 beyond the
 * end of the list
 * @throws Error if the generators do not reach every rank
 */
export function searchOutTrees(
  group: TranslationGroup,
  generators: readonly TreeGenerator[],
  chunks: number,
  seed: number,
  rounds: readonly number[] = [],
): OutTrees {
  const random = new Random(seed);
  const edges = (group.order - 1) * chunks;
  const least = minStepsOf(edges, generators, rounds);
  const attempts = Math.min(maxAttempts, mostEdges / Math.max(1, edges * generators.length));
  const attempt = (): OutTrees => new Attempt(group, generators, chunks, random).run(rounds);
  let best = attempt();
  for (let made = 2; made <= attempts && best.stepCount > least; made++) {
    const next = attempt();
    if (next.stepCount < best.stepCount) best = next;
  }
  return best;
}

/** Units that all generators carry in a round. */
export function unitsInAll(generators: readonly TreeGenerator[]): number {
  return generators.reduce((sum, { units }) => sum + units, 0);
}

/** Lower bound on the steps: each edge needs one (generator, unit, round). */
function minStepsOf(edges: number, generators: readonly TreeGenerator[], rounds: readonly number[]): number {
  let steps = 0;
  for (let left = edges; left > 0; steps++) left -= unitsInAll(generators) * (rounds[steps] ?? 1);
  return steps;
}

/**
 * The rounds of an allgather in as few steps as the diameter. A chunk may reach distance d in step d or later. If the
 * links carry in step d what reaches distance d, rounded so that all steps together carry at most (N − 1)·C chunks over
 * the links of a chip, the schedule has both the minimum steps and the minimum bytes per link: no schedule is faster at
 * any size if messages cost α + n/β.
 */
export function layerRounds(
  group: TranslationGroup,
  generators: readonly TreeGenerator[],
  chunks: number,
): readonly number[] {
  const translations = generators.map(({ offset }) => group.translation(offset));
  const distance = distancesFrom(0, group.order, (at) => translations.map((translate) => translate(at)));
  const width = distance.reduce((most, d) => Math.max(most, d), 0);
  const units = unitsInAll(generators);
  const rounds: number[] = [];
  let before = 0;
  for (let d = 1; d <= width; d++) {
    const items = distance.filter((each) => each > 0 && each <= d).length * chunks;
    // The last step takes what is left; earlier steps at most what can have arrived by then.
    const total = d === width ? Math.ceil(items / units) : Math.floor(items / units);
    rounds.push(Math.max(1, total - before));
    before += rounds[d - 1];
  }
  return rounds;
}

/** One randomised attempt. An item, chunk · N + offset, is a chunk of rank 0 and the rank it must reach. */
class Attempt {
  private readonly order: number;
  private readonly translations: readonly ((rank: number) => number)[];
  private readonly generators: readonly TreeGenerator[];
  private readonly random: Random;
  /** 1 if an item has been informed, in this step or before. */
  private readonly informed: Uint8Array;
  /** Per generator: the items that it could inform when the step began, unordered. */
  private open: readonly number[][];
  /**
   * The generator of each unit slot of the step, grouped by generator, and the item that the slot carries (−1 for
   * none).
   */
  private slotGenerator = new Int32Array();
  private slotItem = new Int32Array();
  /** The slot that carries an item informed in the current step. */
  private readonly slotOf: Int32Array;
  /** Slots already visited by the current augmenting path. */
  private readonly requested = new Set<number>();

  constructor(group: TranslationGroup, generators: readonly TreeGenerator[], chunks: number, random: Random) {
    this.order = group.order;
    this.translations = generators.map(({ offset }) => group.translation(offset));
    this.generators = generators;
    this.random = random;
    this.informed = new Uint8Array(group.order * chunks);
    this.open = generators.map(() => []);
    this.slotOf = new Int32Array(group.order * chunks);
  }

  run(rounds: readonly number[]): OutTrees {
    const { order, informed } = this;
    const edges = informed.length - informed.length / order;
    const [step, generator] = [new Int32Array(edges), new Int32Array(edges)];
    const [chunk, offset] = [new Int32Array(edges), new Int32Array(edges)];
    for (let root = 0; root < informed.length; root += order) informed[root] = 1;
    for (let root = 0; root < informed.length; root += order) this.publish(root);
    let steps = 0;
    for (let row = 0; row < edges; steps++) {
      const start = row;
      this.fillSlots(rounds[steps] ?? 1);
      for (const [slot, item] of this.slotItem.entries()) {
        if (item < 0) continue;
        step[row] = steps;
        generator[row] = this.slotGenerator[slot];
        chunk[row] = Math.floor(item / order);
        offset[row] = item % order;
        row++;
      }
      if (row === start) throw new Error('the generators do not reach every rank');
      this.open = this.open.map((pool) => pool.filter((item) => informed[item] === 0));
      // What arrives in a step is forwarded in the next one at the earliest.
      for (const item of this.slotItem.toReversed()) if (item >= 0) this.publish(item);
    }
    return { stepCount: steps, step, generator, chunk, offset };
  }

  /** Makes the neighbours of an informed item available to every generator. */
  private publish(item: number): void {
    const offset = item % this.order;
    const base = item - offset;
    for (const [g, translate] of this.translations.entries()) {
      const next = base + translate(offset);
      if (this.informed[next] === 0) this.open[g].push(next);
    }
  }

  /**
   * Gives as many slots as possible an item of their own: greedily, then by augmenting paths (bipartite matching, Kuhn
   * 1955).
   */
  private fillSlots(rounds: number): void {
    const ofEach = this.generators.map(({ units }, g) => new Array<number>(units * rounds).fill(g));
    this.slotGenerator = Int32Array.from(ofEach.flat());
    this.slotItem = new Int32Array(this.slotGenerator.length).fill(-1);
    for (let slot = 0; slot < this.slotItem.length; slot++) {
      if (this.takeFree(slot)) continue;
      this.requested.clear();
      this.takeFromOthers(slot);
    }
  }

  /** Gives the slot an open item that no slot has, if there is one, starting from a random position. */
  private takeFree(slot: number): boolean {
    const pool = this.open[this.slotGenerator[slot]];
    if (pool.length === 0) return false;
    const start = this.random.below(pool.length);
    for (let at = 0; at < pool.length; at++) {
      const item = pool[(start + at) % pool.length];
      if (this.informed[item] !== 0) continue;
      this.give(item, slot);
      return true;
    }
    return false;
  }

  /** Gives the slot the item of another slot that can take a different one. */
  private takeFromOthers(slot: number): boolean {
    this.requested.add(slot);
    for (const item of this.open[this.slotGenerator[slot]]) {
      const owner = this.slotOf[item];
      if (this.requested.has(owner) || (!this.takeFree(owner) && !this.takeFromOthers(owner))) continue;
      this.give(item, slot);
      return true;
    }
    return false;
  }

  private give(item: number, slot: number): void {
    this.informed[item] = 1;
    this.slotItem[slot] = item;
    this.slotOf[item] = slot;
  }
}
