/**
 * From the in-tree of an allgather to rank 0's program. Every generator has a lane that sends over it and one that
 * receives. What a step sends over a generator is one message: packed in scratch by copies, unless it is one slice already.
 *
 * A lane's scratch is used again in every step, which needs no waits: a send is complete when its data have left, and the lane
 * receives again only after it has unpacked. The one thing to wait for is that what a message forwards has arrived.
 */
import type { Collective } from '../ir/collective.ts';
import type { CompactPlan, Generator, InTree } from '../ir/compact.ts';
import type { TranslationGroup } from '../ir/translation-group.ts';
import { bufferCodes, ProgramTables } from './program-tables.ts';

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
  private readonly chunks: number;
  private readonly tables: ProgramTables;
  private readonly firstSendLane: number;
  /** Rank r ↦ r ⊕ offset, by generator. */
  private readonly shifts: readonly ((rank: number) => number)[];
  /** Per generator: chunks of its largest message that has to be packed, and where it is packed; it is unpacked right behind. */
  private readonly packed: readonly number[];
  private readonly packAt: readonly number[];
  /** By output slot: the operation that fills it, and the generator that its data came over (−1: nothing has). */
  private readonly filledBy: Int32Array;
  private readonly cameOver: Int32Array;
  /** Of the message that is made: by generator, the last operation that it has to wait for. */
  private readonly awaited: Int32Array;

  constructor(tree: InTree, lowering: CompactLowering) {
    const { group, generators, collective } = lowering;
    this.tree = tree;
    this.lowering = lowering;
    this.chunks = collective.chunks;
    this.shifts = generators.map(({ offset }) => group.translation(offset));
    const sizes = generators.map((_, g) => this.measure(g));
    this.packed = sizes.map(({ packed }) => packed);
    this.packAt = this.packed.map((_, g) => 2 * sum(this.packed.slice(0, g)));
    const own = collective.inPlace ? [] : [{ id: 0, length: 1 }];
    this.firstSendLane = own.length;
    this.tables = new ProgramTables([
      ...own,
      ...sizes.map(({ operations }, g) => ({ id: 2 * g + 1, length: operations })),
      ...sizes.map(({ operations }, g) => ({ id: 2 * g + 2, length: operations })),
    ]);
    this.filledBy = new Int32Array(group.order * this.chunks).fill(-1);
    this.cameOver = new Int32Array(group.order * this.chunks).fill(-1);
    this.awaited = new Int32Array(generators.length);
  }

  run(): CompactPlan {
    const { name, collective, group, generators, bulks } = this.lowering;
    const { input, output } = bufferCodes;
    if (!collective.inPlace) this.tables.copy(0, 0, input, 0, output, 0, this.chunks);
    for (let step = 0; step < this.tree.stepCount; step++) {
      // What a step sends had arrived before it.
      for (let g = 0; g < generators.length; g++) this.send(step, g);
      for (let g = 0; g < generators.length; g++) this.receive(step, g);
    }
    const { laneId, firstOp } = this.tables;
    const buffers = { input: this.chunks, output: group.order * this.chunks, scratch: 2 * sum(this.packed) };
    const ops = this.tables.table();
    const { shape } = group;
    return {
      name,
      collective,
      shape,
      sharded: false,
      bulks,
      scratchPerBulk: 1,
      buffers,
      laneId,
      firstOp,
      ops,
      origins: [],
    };
  }

  /** Rank 0 sends what the rank across gets: its chunk of shard z is rank 0's chunk of shard z ⊕ offset. */
  private send(step: number, g: number): void {
    const { tables, tree } = this;
    const { output, scratch } = bufferCodes;
    const [first, end] = this.rows(step, g);
    if (first === end) return;
    const lane = this.firstSendLane + g;
    const peer = this.lowering.generators[g].offset;
    const single = this.sliceEnd(first, end) === end;
    let to = this.packAt[g];
    let firstOperation = -1;
    this.awaited.fill(-1);
    for (let row = first; row < end; ) {
      const next = this.sliceEnd(row, end);
      const count = next - row;
      const slot = this.shifts[g](tree.shard[row]) * this.chunks + tree.chunk[row];
      this.noteForwarded(slot, count);
      // Rank 0's own shard stands in the input from the start, at the same chunks.
      const buffer = slot < this.chunks ? bufferCodes.input : output;
      const operation = single
        ? tables.send(lane, step + 1, peer, buffer, slot, count)
        : tables.copy(lane, step + 1, buffer, slot, scratch, to, count);
      if (firstOperation < 0) firstOperation = operation;
      to += count;
      row = next;
    }
    if (!single) tables.send(lane, step + 1, peer, scratch, this.packAt[g], end - first);
    for (const awaited of this.awaited) if (awaited >= 0) tables.wait(firstOperation, awaited);
  }

  private receive(step: number, g: number): void {
    const { tables, tree } = this;
    const { output, scratch } = bufferCodes;
    const [first, end] = this.rows(step, g);
    if (first === end) return;
    const { group, generators } = this.lowering;
    const lane = this.firstSendLane + generators.length + g;
    const peer = group.negate(generators[g].offset);
    const single = this.sliceEnd(first, end) === end;
    let from = this.packAt[g] + this.packed[g];
    if (!single) tables.receive(lane, step + 1, peer, scratch, from, end - first);
    for (let row = first; row < end; ) {
      const next = this.sliceEnd(row, end);
      const count = next - row;
      const slot = tree.shard[row] * this.chunks + tree.chunk[row];
      const operation = single
        ? tables.receive(lane, step + 1, peer, output, slot, count)
        : tables.copy(lane, step + 1, scratch, from, output, slot, count);
      for (let filled = slot; filled < slot + count; filled++) {
        this.filledBy[filled] = operation;
        this.cameOver[filled] = g;
      }
      from += count;
      row = next;
    }
  }

  /** Notes that a message forwards these output slots. */
  private noteForwarded(slot: number, count: number): void {
    for (let at = slot; at < slot + count; at++) {
      const g = this.cameOver[at];
      if (g >= 0 && this.filledBy[at] > this.awaited[g]) this.awaited[g] = this.filledBy[at];
    }
  }

  /** The rows of the tree for a step and a generator: the first, and the one behind the last. */
  private rows(step: number, g: number): readonly [number, number] {
    const cell = step * this.lowering.generators.length + g;
    return [this.tree.firstRow[cell], this.tree.firstRow[cell + 1]];
  }

  /** The row behind those that make one slice with a row: adjacent chunks of one shard. */
  private sliceEnd(row: number, end: number): number {
    const { shard, chunk } = this.tree;
    let next = row + 1;
    while (next < end && shard[next] === shard[row] && chunk[next] === chunk[next - 1] + 1) next++;
    return next;
  }

  /** Operations of a generator's lanes (each has as many), and chunks of its largest message of several slices. */
  private measure(g: number): { readonly operations: number; readonly packed: number } {
    let operations = 0;
    let packed = 0;
    for (let step = 0; step < this.tree.stepCount; step++) {
      const [first, end] = this.rows(step, g);
      let slices = 0;
      for (let row = first; row < end; row = this.sliceEnd(row, end)) slices++;
      operations += slices > 1 ? slices + 1 : slices;
      if (slices > 1) packed = Math.max(packed, end - first);
    }
    return { operations, packed };
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
