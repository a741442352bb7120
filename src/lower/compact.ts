/**
 * From the in-tree of an allgather to rank 0's program. Every generator has a lane that sends over it and one that
 * receives. What a step sends over a generator is one message: packed in scratch by copies, unless it is one slice already.
 *
 * A lane's scratch is used again in every step, which needs no waits: a send is complete when its data have left, and the lane
 * receives again only after it has unpacked. The one thing to wait for is that what a message forwards has arrived.
 */
import type { Collective } from '../ir/collective.ts';
import { type CompactPlan, compactPlan, type Generator, type InTree } from '../ir/compact.ts';
import { type NewOperation, PlanBuilder, type Slice } from '../ir/plan.ts';
import type { TranslationGroup } from '../ir/translation-group.ts';

export interface CompactLowering {
  readonly name: string;
  /** An allgather; its `chunks` is the tree's C. */
  readonly collective: Collective;
  readonly group: TranslationGroup;
  readonly generators: readonly Generator[];
  readonly bulks: number;
}

/** Lowers an in-tree to the compact plan in which every rank follows it. */
export function lowerInTree(tree: InTree, lowering: CompactLowering): CompactPlan {
  return new Gathering(tree, lowering).run();
}

class Gathering {
  private readonly tree: InTree;
  private readonly lowering: CompactLowering;
  private readonly builder = new PlanBuilder();
  private readonly sendLanes: readonly number[];
  private readonly receiveLanes: readonly number[];
  /** Per generator: where its messages are packed and unpacked. */
  private readonly sendScratch: readonly number[];
  private readonly receiveScratch: readonly number[];
  private readonly scratch: number;
  /** By output slot: the operation that fills it, and the generator that its data came over (−1: nothing has). */
  private readonly filledBy: Int32Array;
  private readonly cameOver: Int32Array;

  constructor(tree: InTree, lowering: CompactLowering) {
    const { group, generators, collective } = lowering;
    this.tree = tree;
    this.lowering = lowering;
    const own = collective.inPlace ? undefined : this.builder.openLane(0, 0);
    this.sendLanes = generators.map((_, g) => this.builder.openLane(0, 2 * g + 1));
    this.receiveLanes = generators.map((_, g) => this.builder.openLane(0, 2 * g + 2));
    const packed = generators.map((_, g) => this.largestPacked(g));
    this.sendScratch = packed.map((_, g) => 2 * sum(packed.slice(0, g)));
    this.receiveScratch = packed.map((size, g) => this.sendScratch[g] + size);
    this.scratch = 2 * sum(packed);
    this.filledBy = new Int32Array(group.order * collective.chunks).fill(-1);
    this.cameOver = new Int32Array(group.order * collective.chunks).fill(-1);
    if (own !== undefined) this.builder.add(own, { kind: 'copy', src: this.ownShard(), dst: this.slot(0), step: 0 });
  }

  run(): CompactPlan {
    const { name, collective, group, generators, bulks } = this.lowering;
    for (let step = 0; step < this.tree.stepCount; step++) {
      // What a step sends had arrived before it.
      for (let g = 0; g < generators.length; g++) this.send(step, g);
      for (let g = 0; g < generators.length; g++) this.receive(step, g);
    }
    const buffers = [{ input: collective.chunks, output: group.order * collective.chunks, scratch: this.scratch }];
    const plan = this.builder.build({ name, collective, bulks, scratchPerBulk: 1, buffers, rounds: [] });
    return compactPlan(plan, group.shape);
  }

  /** Rank 0 sends what the rank across gets: its chunk of shard z is rank 0's chunk of shard z ⊕ offset. */
  private send(step: number, g: number): void {
    const { group, generators, collective } = this.lowering;
    const shift = group.translation(generators[g].offset);
    const slices = this.slicesOf(step, g).map(({ offset, count }) => {
      const chunk = offset % collective.chunks;
      return {
        buffer: 'output' as const,
        offset: shift((offset - chunk) / collective.chunks) * collective.chunks + chunk,
        count,
      };
    });
    if (slices.length === 0) return;
    const lane = this.sendLanes[g];
    const message = { kind: 'send', peer: generators[g].offset, channel: 0, step: step + 1 } as const;
    const sources = slices.map((slice) => (slice.offset < collective.chunks ? this.ownPart(slice) : slice));
    let first = -1;
    if (sources.length === 1) {
      first = this.builder.add(lane, { ...message, src: sources[0] });
    } else {
      let offset = this.sendScratch[g];
      for (const src of sources) {
        const dst = { buffer: 'scratch', offset, count: src.count } as const;
        const copy = this.builder.add(lane, { kind: 'copy', src, dst, step: step + 1 });
        if (first < 0) first = copy;
        offset += src.count;
      }
      const src = { buffer: 'scratch', offset: this.sendScratch[g], count: offset - this.sendScratch[g] } as const;
      this.builder.add(lane, { ...message, src });
    }
    this.awaitArrival(first, slices);
  }

  private receive(step: number, g: number): void {
    const { group, generators } = this.lowering;
    const slices = this.slicesOf(step, g);
    if (slices.length === 0) return;
    const lane = this.receiveLanes[g];
    const message = { kind: 'recv', peer: group.negate(generators[g].offset), channel: 0, step: step + 1 } as const;
    if (slices.length === 1) {
      this.fill(slices[0], g, lane, { ...message, dst: slices[0] });
      return;
    }
    const total = sum(slices.map(({ count }) => count));
    let offset = this.receiveScratch[g];
    this.builder.add(lane, { ...message, dst: { buffer: 'scratch', offset, count: total } });
    for (const dst of slices) {
      const src = { buffer: 'scratch', offset, count: dst.count } as const;
      this.fill(dst, g, lane, { kind: 'copy', src, dst, step: step + 1 });
      offset += dst.count;
    }
  }

  private fill({ offset, count }: Slice, g: number, lane: number, operation: NewOperation): void {
    const handle = this.builder.add(lane, operation);
    this.filledBy.fill(handle, offset, offset + count);
    this.cameOver.fill(g, offset, offset + count);
  }

  /** Makes an operation wait for the last of the operations that fill these slices, in every lane that has some. */
  private awaitArrival(operation: number, slices: readonly Slice[]): void {
    const last = new Int32Array(this.lowering.generators.length).fill(-1);
    for (const { offset, count } of slices) {
      for (let slot = offset; slot < offset + count; slot++) {
        const g = this.cameOver[slot];
        if (g >= 0) last[g] = Math.max(last[g], this.filledBy[slot]);
      }
    }
    for (const handle of last) if (handle >= 0) this.builder.wait(operation, handle);
  }

  /** What a step brings over a generator, as slices of the output: adjacent chunks of a shard together. */
  private slicesOf(step: number, g: number): readonly Slice[] {
    const { firstRow, shard, chunk } = this.tree;
    const { chunks } = this.lowering.collective;
    const cell = step * this.lowering.generators.length + g;
    const slices: { buffer: 'output'; offset: number; count: number }[] = [];
    for (let row = firstRow[cell]; row < firstRow[cell + 1]; row++) {
      const last = slices.at(-1);
      const adjacent = row > firstRow[cell] && shard[row] === shard[row - 1] && chunk[row] === chunk[row - 1] + 1;
      if (last !== undefined && adjacent) last.count++;
      else slices.push({ buffer: 'output', offset: shard[row] * chunks + chunk[row], count: 1 });
    }
    return slices;
  }

  /** Chunks of the largest message over a generator that has to be packed. */
  private largestPacked(g: number): number {
    let largest = 0;
    for (let step = 0; step < this.tree.stepCount; step++) {
      const slices = this.slicesOf(step, g);
      if (slices.length > 1) largest = Math.max(largest, sum(slices.map(({ count }) => count)));
    }
    return largest;
  }

  private slot(shard: number): Slice {
    const { chunks } = this.lowering.collective;
    return { buffer: 'output', offset: shard * chunks, count: chunks };
  }

  private ownShard(): Slice {
    return { buffer: 'input', offset: 0, count: this.lowering.collective.chunks };
  }

  /** A slice of rank 0's own shard: it stands in the input from the start. */
  private ownPart({ offset, count }: Slice): Slice {
    return { buffer: 'input', offset, count };
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
