/**
 * Lowers gather-then-reduce stages to the program of an allreduce in which every rank gathers whole vectors and reduces
 * them locally. Buffers are not shifted: all ranks use the same names for the chunks of the vector. Every part of the
 * vector has a lane for reductions, and its values have slots of their own in scratch, so nothing is overwritten.
 */
import type { CompactPlan, GatherThenReduce } from '../../ir/compact.ts';
import { bufferCodes } from '../../lower/memory/buffer-codes.ts';
import type { CompactLowering } from './layered.ts';
import { CompactProgram, inOutput, inScratch } from './program.ts';
import { TreeRows } from './rows.ts';

/** Lowers an allreduce whose C is a multiple of the number of parts; one bulk. */
export function lowerGatherThenReduce(
  parts: readonly (readonly GatherThenReduce[])[],
  lowering: CompactLowering,
): CompactPlan {
  return new Folder(parts, lowering).run();
}

/** An available value: its location, and the operation that must be complete before it is used; −1 for none. */
interface Value {
  readonly buffer: number;
  readonly offset: number;
  readonly ready: number;
}

/** One stage of a part. */
class Stage {
  readonly rows: TreeRows;
  readonly over: readonly number[];
  /** Where the values of this stage are received, row after row, and where they are reduced. */
  readonly landAt: number;
  readonly sumAt: number;
  readonly own: Value;
  /** The last operation that reduced something. */
  last = -1;
  /** By number of the rank: the receive that delivered its value. */
  readonly broughtBy: Int32Array;
  private readonly rowOf: Int32Array;
  private readonly numberOf: ReadonlyMap<number, number>;
  private readonly rankOf: Int32Array;
  private readonly shifts: readonly ((rank: number) => number)[];

  constructor(
    { tree, over, rankOf }: GatherThenReduce,
    { group, generators }: CompactLowering,
    { at, size }: { readonly at: number; readonly size: number },
    own: Value,
  ) {
    this.rows = new TreeRows(tree, over.length, 1);
    this.over = over;
    this.sumAt = at;
    this.landAt = at + size;
    this.own = own;
    this.rankOf = rankOf;
    this.numberOf = new Map(Array.from(rankOf, (rank, number) => [rank, number]));
    this.shifts = over.map((g) => group.translation(generators[g].offset));
    this.rowOf = new Int32Array(rankOf.length).fill(-1);
    tree.shard.forEach((number, row) => {
      this.rowOf[number] = row;
    });
    this.broughtBy = new Int32Array(rankOf.length).fill(-1);
  }

  /** The number that the rank of a row, named from the receiving rank's view, has for rank 0. */
  numberAt(row: number, i: number): number {
    const rank = this.shifts[i](this.rankOf[this.rows.tree.shard[row]]);
    const number = this.numberOf.get(rank);
    if (number === undefined) throw new Error('a value is of a rank that has no number');
    return number;
  }

  /** Where the value of a number was received. */
  placeOf(number: number, size: number): number {
    return this.landAt + this.rowOf[number] * size;
  }
}

class Folder {
  private readonly parts: readonly (readonly GatherThenReduce[])[];
  private readonly lowering: CompactLowering;
  private readonly size: number;
  private readonly offsets: readonly number[];
  private readonly program = new CompactProgram();
  private readonly sendLanes: readonly number[];
  private readonly receiveLanes: readonly number[];
  private readonly combineLanes: readonly number[];
  private scratch = 0;
  /** Sends that read the input, which an in-place output overwrites. */
  private readonly inputReads: number[] = [];

  constructor(parts: readonly (readonly GatherThenReduce[])[], lowering: CompactLowering) {
    this.parts = parts;
    this.lowering = lowering;
    this.size = lowering.collective.chunks / parts.length;
    this.offsets = lowering.generators.map(({ offset }) => offset);
    const { program } = this;
    const generators = this.offsets.length;
    this.sendLanes = this.offsets.map((_, g) => program.openLane(2 * g + 1));
    this.receiveLanes = this.offsets.map((_, g) => program.openLane(2 * g + 2));
    this.combineLanes = parts.map((_, part) => program.openLane(2 * generators + 1 + part));
  }

  run(): CompactPlan {
    const { name, collective, group, bulks } = this.lowering;
    const values = this.parts.map(
      (_, part): Value => ({ buffer: bufferCodes.input, offset: part * this.size, ready: -1 }),
    );
    const stages: Stage[] = [];
    // Step by step over all parts, so that messages of two parts over one generator have the same order on all ranks.
    for (const { part, folding, layer, step, isLast } of this.inOrder()) {
      if (layer === 0) stages[part] = this.open(folding, part, step, values[part]);
      const stage = stages[part];
      for (let i = 0; i < stage.over.length; i++) this.send(stage, layer, i, step);
      for (let i = 0; i < stage.over.length; i++) this.receive(stage, layer, i, step, this.combineLanes[part]);
      if (layer + 1 < folding.tree.stepCount) continue;
      values[part] = { buffer: bufferCodes.scratch, offset: stage.sumAt, ready: stage.last };
      if (isLast) this.finish(part, stage, step);
    }
    const { chunks } = collective;
    const buffers = { input: chunks, output: chunks, scratch: this.scratch };
    return this.program.build({ name, collective, shape: group.shape, sharded: false, bulks, buffers });
  }

  /** The layers of all parts' trees, ordered by step. */
  private inOrder(): readonly {
    readonly part: number;
    readonly folding: GatherThenReduce;
    readonly layer: number;
    readonly step: number;
    readonly isLast: boolean;
  }[] {
    const layers = this.parts.flatMap((foldings, part) => {
      let step = 0;
      return foldings.flatMap((folding, stage) =>
        Array.from({ length: folding.tree.stepCount }, (_, layer) => {
          return { part, folding, layer, step: ++step, isLast: stage === foldings.length - 1 };
        }),
      );
    });
    return layers.sort((a, b) => a.step - b.step || a.part - b.part);
  }

  private open(folding: GatherThenReduce, part: number, step: number, own: Value): Stage {
    const stage = new Stage(folding, this.lowering, { at: this.scratch, size: this.size }, own);
    this.scratch += (1 + folding.tree.shard.length) * this.size;
    const lane = this.combineLanes[part];
    stage.last = this.program.copy(lane, step, own, inScratch(stage.sumAt), this.size);
    return stage;
  }

  /** Rows are values of ranks, named from the receiving rank's view; it gets what rank 0 had before this layer. */
  private send(stage: Stage, layer: number, i: number, step: number): void {
    const { program, size } = this;
    const g = stage.over[i];
    const lane = this.sendLanes[g];
    const [first, end] = stage.rows.message(layer, i);
    if (first === end) return;
    const place = (row: number): number => stage.placeOf(stage.numberAt(row, i), size);
    if (this.isWhole(first, end, place) || layer === 0) {
      const isOwn = layer === 0;
      const from = isOwn ? stage.own : inScratch(place(first));
      const operation = program.send(lane, step, this.offsets[g], from, (end - first) * size);
      const ready = isOwn ? stage.own.ready : stage.broughtBy[stage.numberAt(first, i)];
      if (ready >= 0) program.wait(operation, ready);
      if (from.buffer === bufferCodes.input) this.inputReads.push(operation);
      for (let row = first + 1; row < end; row++) this.awaitAlso(operation, stage, stage.numberAt(row, i), ready);
      return;
    }
    const packAt = this.scratch;
    this.scratch += (end - first) * size;
    for (let row = first; row < end; row++) {
      const number = stage.numberAt(row, i);
      const copy = program.copy(lane, step, inScratch(place(row)), inScratch(packAt + (row - first) * size), size);
      program.wait(copy, stage.broughtBy[number]);
    }
    program.send(lane, step, this.offsets[g], inScratch(packAt), (end - first) * size);
  }

  private awaitAlso(operation: number, stage: Stage, number: number, awaited: number): void {
    if (stage.broughtBy[number] !== awaited) this.program.wait(operation, stage.broughtBy[number]);
  }

  private isWhole(first: number, end: number, place: (row: number) => number): boolean {
    for (let row = first + 1; row < end; row++) if (place(row) !== place(row - 1) + this.size) return false;
    return true;
  }

  private receive(stage: Stage, layer: number, i: number, step: number, combineLane: number): void {
    const { program, size } = this;
    const g = stage.over[i];
    const [first, end] = stage.rows.message(layer, i);
    if (first === end) return;
    const source = this.lowering.group.negate(this.offsets[g]);
    const at = stage.landAt + first * size;
    const received = program.receive(this.receiveLanes[g], step, source, inScratch(at), (end - first) * size);
    for (let row = first; row < end; row++) {
      stage.broughtBy[stage.rows.tree.shard[row]] = received;
      stage.last = program.reduce(
        combineLane,
        step,
        inScratch(stage.landAt + row * size),
        inScratch(stage.sumAt),
        size,
      );
      if (row === first) program.wait(stage.last, received);
    }
  }

  private finish(part: number, stage: Stage, step: number): void {
    const lane = this.combineLanes[part];
    const copy = this.program.copy(lane, step, inScratch(stage.sumAt), inOutput(part * this.size), this.size);
    if (this.lowering.collective.inPlace) for (const read of this.inputReads) this.program.wait(copy, read);
  }
}
