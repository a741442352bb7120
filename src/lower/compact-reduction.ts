/**
 * The in-tree of an allgather run backwards: a reducescatter, as rank 0's program. The tree is one of the machine with every link
 * turned round. Where a chunk of shard z came to rank 0 as its last stop but one from rank p, rank 0 now sends what it has gathered
 * of it to p, which adds that to its own part. Farthest layers go first.
 *
 * Every generator has a lane that sends and one that receives; one more lane reduces. What is gathered of a chunk stands in the input if the
 * plan runs in place, else in scratch (of the rank's own shard in the output); chunks that nothing is added to are sent from the input.
 */
import type { CompactPlan, InTree } from '../ir/compact.ts';
import type { CompactLowering } from './compact.ts';
import { bufferCodes, ProgramTables } from './program-tables.ts';

/**
 * Lowers an in-tree backwards.
 * @param tree of the generators with their offsets negated
 * @param lowering for a reducescatter on the machine itself; one bulk
 */
export function lowerReversedTree(tree: InTree, lowering: CompactLowering): CompactPlan {
  return new Reduction(tree, lowering).run();
}

class Reduction {
  private readonly tree: InTree;
  private readonly lowering: CompactLowering;
  private readonly chunks: number;
  private readonly tables: ProgramTables;
  /** Shard of the sender ↦ the same shard as rank 0 names it, by generator. */
  private readonly shifts: readonly ((shard: number) => number)[];
  /** 1 for each slot of the input to which something is added, as it is when all that comes has come. */
  private readonly gathers: Uint8Array;
  /** By slot: the last operation that added something, −1 if none has. */
  private readonly addedBy: Int32Array;
  /** Per generator: chunks of its largest message, and where it is packed; it is unpacked right behind. */
  private readonly largest: readonly number[];
  private readonly packAt: readonly number[];
  /** Where gathered chunks stand in scratch: slot s at this + s. */
  private readonly gatherAt: number;
  /** Per generator: the operation that was the last to read what its receiving lane received. */
  private readonly emptiedBy: Int32Array;

  constructor(tree: InTree, lowering: CompactLowering) {
    const { group, generators, collective } = lowering;
    this.tree = tree;
    this.lowering = lowering;
    this.chunks = collective.chunks;
    this.shifts = generators.map(({ offset }) => group.translation(group.negate(offset)));
    const slots = group.order * this.chunks;
    this.gathers = new Uint8Array(slots);
    this.addedBy = new Int32Array(slots).fill(-1);
    this.emptiedBy = new Int32Array(generators.length).fill(-1);
    const sizes = generators.map((_, g) => this.measure(g));
    this.largest = sizes.map(({ largest }) => largest);
    this.packAt = this.largest.map((_, g) => 2 * sum(this.largest.slice(0, g)));
    this.gatherAt = 2 * sum(this.largest);
    // Only now is it known which chunks gather something, and so which are adjacent in memory.
    const copies = collective.inPlace ? 0 : this.gathers.reduce((total, gathers) => total + gathers, 0);
    const alone = group.order === 1 && !collective.inPlace ? 1 : 0;
    this.tables = new ProgramTables([
      { id: 0, length: sum(sizes.map(({ slices }) => slices)) + copies + alone },
      ...generators.map((_, g) => ({ id: 2 * g + 1, length: this.sendOperations(g) })),
      ...sizes.map(({ messages }, g) => ({ id: 2 * g + 2, length: messages })),
    ]);
  }

  run(): CompactPlan {
    const { name, collective, group, generators, bulks } = this.lowering;
    const { input, output } = bufferCodes;
    if (group.order === 1 && !collective.inPlace) this.tables.copy(0, 0, input, 0, output, 0, this.chunks);
    for (let layer = this.tree.stepCount - 1; layer >= 0; layer--) {
      // What is added to the chunks of a layer has come with the layers behind it.
      for (let g = 0; g < generators.length; g++) this.send(layer, g);
      for (let g = 0; g < generators.length; g++) this.receive(layer, g);
    }
    const { laneId, firstOp } = this.tables;
    const slots = group.order * this.chunks;
    const scratch = this.gatherAt + (collective.inPlace ? 0 : slots);
    const buffers = { input: slots, output: this.chunks, scratch };
    const ops = this.tables.table();
    return {
      name,
      collective,
      shape: group.shape,
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

  private send(layer: number, g: number): void {
    const { tables } = this;
    const { input, scratch } = bufferCodes;
    const [first, end] = this.rows(layer, g);
    if (first === end) return;
    const lane = 1 + g;
    const step = this.tree.stepCount - layer;
    const peer = this.lowering.generators[g].offset;
    const single = this.sentEnd(first, end) === end;
    let to = this.packAt[g];
    let firstOperation = -1;
    let awaited = -1;
    for (let row = first; row < end; ) {
      const next = this.sentEnd(row, end);
      const slot = this.slotOf(row);
      const moved = this.gathers[slot] === 1 && !this.lowering.collective.inPlace;
      const [buffer, from] = moved ? [scratch, this.gatherAt + slot] : [input, slot];
      const operation = single
        ? tables.send(lane, step, peer, buffer, from, next - row)
        : tables.copy(lane, step, buffer, from, scratch, to, next - row);
      if (firstOperation < 0) firstOperation = operation;
      for (let at = slot; at < slot + next - row; at++) awaited = Math.max(awaited, this.addedBy[at]);
      to += next - row;
      row = next;
    }
    if (!single) tables.send(lane, step, peer, scratch, this.packAt[g], end - first);
    if (awaited >= 0) tables.wait(firstOperation, awaited);
  }

  private receive(layer: number, g: number): void {
    const { tables } = this;
    const { scratch } = bufferCodes;
    const [first, end] = this.rows(layer, g);
    if (first === end) return;
    const { group, generators } = this.lowering;
    const step = this.tree.stepCount - layer;
    const peer = group.negate(generators[g].offset);
    let from = this.packAt[g] + this.largest[g];
    const received = tables.receive(1 + generators.length + g, step, peer, scratch, from, end - first);
    if (this.emptiedBy[g] >= 0) tables.wait(received, this.emptiedBy[g]);
    let firstOperation = -1;
    for (let row = first; row < end; ) {
      const next = this.sliceEnd(row, end);
      const slot = this.shiftedSlot(row, g);
      const operation = this.add(step, from, slot, next - row);
      if (firstOperation < 0) firstOperation = operation.first;
      this.emptiedBy[g] = operation.last;
      from += next - row;
      row = next;
    }
    tables.wait(firstOperation, received);
  }

  /** Adds chunks that were received to those that are gathered; where they are the first, to what the input has. */
  private add(
    step: number,
    from: number,
    slot: number,
    count: number,
  ): { readonly first: number; readonly last: number } {
    const { tables, chunks } = this;
    const { input, output, scratch } = bufferCodes;
    const { inPlace } = this.lowering.collective;
    const [buffer, offset] = inPlace ? [input, slot] : slot < chunks ? [output, slot] : [scratch, this.gatherAt + slot];
    let first = -1;
    for (let at = 0; at < count && !inPlace; at++) {
      if (this.addedBy[slot + at] >= 0) continue;
      const copy = tables.copy(0, step, input, slot + at, buffer, offset + at, 1);
      if (first < 0) first = copy;
    }
    const last = tables.reduce(0, step, scratch, from, buffer, offset, count);
    this.addedBy.fill(last, slot, slot + count);
    return { first: first < 0 ? last : first, last };
  }

  private rows(layer: number, g: number): readonly [number, number] {
    const cell = layer * this.lowering.generators.length + g;
    return [this.tree.firstRow[cell], this.tree.firstRow[cell + 1]];
  }

  private slotOf(row: number): number {
    return this.tree.shard[row] * this.chunks + this.tree.chunk[row];
  }

  /** The slot of rank 0 to which a row that it receives belongs. */
  private shiftedSlot(row: number, g: number): number {
    return this.shifts[g](this.tree.shard[row]) * this.chunks + this.tree.chunk[row];
  }

  /** The row behind those that make one slice with a row: adjacent chunks of one shard. */
  private sliceEnd(row: number, end: number): number {
    const { shard, chunk } = this.tree;
    let next = row + 1;
    while (next < end && shard[next] === shard[row] && chunk[next] === chunk[next - 1] + 1) next++;
    return next;
  }

  /** Likewise, of chunks that are sent from one place: out of place, some may have gathered something and others not. */
  private sentEnd(row: number, end: number): number {
    const whole = this.sliceEnd(row, end);
    if (this.lowering.collective.inPlace) return whole;
    let next = row + 1;
    while (next < whole && this.gathers[this.slotOf(next)] === this.gathers[this.slotOf(row)]) next++;
    return next;
  }

  /** What a generator's lanes will hold; notes on the way which slots gather something. */
  private measure(g: number): { readonly messages: number; readonly slices: number; readonly largest: number } {
    let [messages, slices, largest] = [0, 0, 0];
    for (let layer = 0; layer < this.tree.stepCount; layer++) {
      const [first, end] = this.rows(layer, g);
      if (first < end) messages++;
      largest = Math.max(largest, end - first);
      for (let row = first; row < end; row = this.sliceEnd(row, end)) slices++;
      for (let row = first; row < end; row++) this.gathers[this.shiftedSlot(row, g)] = 1;
    }
    return { messages, slices, largest };
  }

  private sendOperations(g: number): number {
    let operations = 0;
    for (let layer = 0; layer < this.tree.stepCount; layer++) {
      const [first, end] = this.rows(layer, g);
      let slices = 0;
      for (let row = first; row < end; row = this.sentEnd(row, end)) slices++;
      operations += slices > 1 ? slices + 1 : slices;
    }
    return operations;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
