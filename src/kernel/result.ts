/**
 * Section 6 of docs/verification.md: the result is right. Without races every run leaves what the run at hand leaves, so the plan is run once on
 * symbols, and the symbols in the outputs are compared with what the collective asks for.
 */
import { chunksPerShard, reduces, shardsOf } from './collective.ts';
import type { Messages } from './connections.ts';
import { bufferEntry, type Layout } from './form.ts';
import { isWhole, none, Refusal, requireForm } from './refusal.ts';
import {
  bufferCode,
  type CollectiveRecord,
  type InputChunk,
  intAt,
  isReceive,
  isReduction,
  itemAt,
  operationCode,
  type PlanTables,
} from './tables.ts';
import { Values } from './values.ts';

/**
 * Whether all ranks combine each chunk with the same tree, so that floating-point results have the same bits; undefined where nothing is reduced.
 * @param happening the events in an order in which they can happen
 * @param readsUnwritten memory that nothing has written may be read, and holds what no collective asks for
 * @throws Refusal 'uninitialised' or 'wrong-result'
 */
export function checkResult(
  plan: PlanTables,
  layout: Layout,
  messages: Messages,
  happening: Int32Array,
  readsUnwritten: boolean,
): boolean | undefined {
  const run = new SymbolicRun(plan, layout, messages, readsUnwritten);
  // All bulks leave the same in outputs of their own; the first one speaks for them.
  for (const event of happening) if (event < plan.ops.kind.length) run.execute(event);
  return new Outputs(plan, layout, run).haveSameBits();
}

/** Bytes of a slot of a buffer with these shards; 0 where all shards have the same size. */
function bytesOfSlot(collective: CollectiveRecord, shards: readonly number[], slot: number): number {
  const { counts } = collective;
  return counts === undefined ? 0 : itemAt(counts, itemAt(shards, Math.floor(slot / chunksPerShard(collective))));
}

/** One run of a plan on symbols: what each cell holds. */
class SymbolicRun {
  readonly values: Values;
  /** By cell: its value, or `none` if nothing has been written. */
  readonly cells: Int32Array;
  /** By rank: the value of slot 0 of its input; those of the other slots follow. */
  readonly firstInput: number[] = [];
  /** By name of shard: the value of the first chunk of that shard, on the first rank that has it. */
  readonly firstOfShard: number[] = [];
  private readonly plan: PlanTables;
  private readonly layout: Layout;
  private readonly messages: Messages;
  /** What nobody asks for: what unwritten memory holds, and chunks of which something was cut off. */
  private readonly worthless: number;
  /** By cell: the bytes that it has room for, if shards differ in size. Scratch and messages have room for any chunk. */
  private readonly room: Float64Array | undefined;

  constructor(plan: PlanTables, layout: Layout, messages: Messages, readsUnwritten: boolean) {
    this.plan = plan;
    this.layout = layout;
    this.messages = messages;
    this.values = new Values(plan.collective);
    this.worthless = this.values.addLeaf(0);
    this.cells = new Int32Array(messages.cells).fill(readsUnwritten ? this.worthless : none);
    if (plan.collective.counts !== undefined) {
      this.room = new Float64Array(messages.cells).fill(Number.POSITIVE_INFINITY);
    }
    for (let rank = 0; rank < plan.buffers.length; rank++) this.fillBuffers(rank);
  }

  /** Says how large the slots of a rank are, and puts a new value into each slot of its input. */
  private fillBuffers(rank: number): void {
    const { plan, layout, values, room } = this;
    const { collective } = plan;
    const [inputs, outputs] = [bufferEntry(rank, bufferCode.input), bufferEntry(rank, bufferCode.output)];
    const [inputCell, outputCell] = [intAt(layout.bufferCell, inputs), intAt(layout.bufferCell, outputs)];
    const shards = shardsOf(collective, rank);
    for (let slot = 0; room !== undefined && slot < intAt(layout.bufferSlots, outputs); slot++) {
      room[outputCell + slot] = bytesOfSlot(collective, shards.output, slot);
    }
    this.firstInput.push(values.count);
    for (const [i, name] of shards.input.entries()) {
      this.firstOfShard[name] ??= values.count + i * chunksPerShard(collective);
    }
    for (let slot = 0; slot < intAt(layout.bufferSlots, inputs); slot++) {
      const bytes = bytesOfSlot(collective, shards.input, slot);
      this.cells[inputCell + slot] = values.addLeaf(bytes);
      if (room === undefined) continue;
      // A slot that is both input and output is of one size: in an alltoall in place, two ranks exchange as many bytes.
      const ofOutput = room[inputCell + slot] ?? Number.POSITIVE_INFINITY;
      requireForm(
        ofOutput === bytes || ofOutput === Number.POSITIVE_INFINITY,
        'counts differ in a slot that is input and output',
      );
      room[inputCell + slot] = bytes;
    }
  }

  /** Runs an operation. */
  execute(o: number): void {
    const { plan, layout, messages, cells, values } = this;
    const kind = intAt(plan.ops.kind, o);
    const source = isReceive(kind) ? intAt(messages.messageCell, o) : intAt(layout.sourceCell, o);
    const target = kind === operationCode.send ? intAt(messages.messageCell, o) : intAt(layout.targetCell, o);
    const receivedFirst = intAt(plan.ops.receivedFirst, o) === 1;
    for (let i = 0; i < intAt(layout.moved, o); i++) {
      const incoming = intAt(cells, source + i);
      if (incoming === none) throw unwritten(o);
      if (!isReduction(kind)) {
        this.put(target + i, incoming);
        continue;
      }
      const held = intAt(cells, target + i);
      if (held === none) throw unwritten(o);
      this.put(target + i, receivedFirst ? values.combine(incoming, held) : values.combine(held, incoming));
    }
  }

  /** Puts a value into a cell. Of a chunk that does not fit something is cut off. */
  private put(cell: number, value: number): void {
    const { cells, room, values } = this;
    const fits = room === undefined || values.bytesOf(value) <= (room[cell] ?? 0);
    cells[cell] = fits ? value : this.worthless;
  }
}

function unwritten(operation: number): Refusal {
  return new Refusal('uninitialised', 'it reads what nothing has written', operation);
}

/** What an output slot must combine: leaves in order, and a name that is the same for all slots that must combine the same. */
interface WantedValue {
  readonly name: string;
  /** Computed only for names that have not been met: there may be as many leaves as ranks. */
  readonly leaves: () => readonly number[];
}

/** Compares what a run has left in the outputs with what the collective asks for. */
class Outputs {
  private readonly plan: PlanTables;
  private readonly layout: Layout;
  private readonly run: SymbolicRun;
  /** By name of what is wanted: the first value that was found to be it. */
  private readonly accepted = new Map<string, number>();
  /** All slots that want the same reduction have the same tree; undefined before a reduction has been met. */
  private sameTrees: boolean | undefined;

  constructor(plan: PlanTables, layout: Layout, run: SymbolicRun) {
    this.plan = plan;
    this.layout = layout;
    this.run = run;
  }

  /** Checks all outputs. @returns as `checkResult` */
  haveSameBits(): boolean | undefined {
    for (let rank = 0; rank < this.plan.buffers.length; rank++) {
      const output = bufferEntry(rank, bufferCode.output);
      const shards = shardsOf(this.plan.collective, rank).output;
      for (let slot = 0; slot < intAt(this.layout.bufferSlots, output); slot++) {
        const wanted = this.wanted(rank, slot, shards);
        const value = intAt(this.run.cells, intAt(this.layout.bufferCell, output) + slot);
        if (wanted !== undefined) this.compare(rank, slot, value, wanted);
      }
    }
    // Any tree of the other operators gives the same bits.
    const { op } = this.plan.collective;
    return this.sameTrees === false ? op !== 'sum' && op !== 'prod' : this.sameTrees;
  }

  private compare(rank: number, slot: number, value: number, { name, leaves }: WantedValue): void {
    const known = this.accepted.get(name);
    if (known === value) return;
    const wanted = leaves();
    requireForm(wanted.length > 0, `nothing is wanted in output[${slot}] of rank ${rank}`);
    if (!this.run.values.isReductionOf(value, wanted)) {
      throw new Refusal('wrong-result', `output[${slot}] of rank ${rank} does not hold what the collective says`);
    }
    if (wanted.length > 1 && this.plan.buffers.length > 1)
      this.sameTrees = this.sameTrees !== false && known === undefined;
    if (known === undefined) this.accepted.set(name, value);
  }

  /** What an output slot must hold; undefined where it may hold anything. */
  private wanted(rank: number, slot: number, shards: readonly number[]): WantedValue | undefined {
    const { collective } = this.plan;
    if (collective.custom !== undefined) {
      const parts = collective.custom.results[rank]?.at(slot);
      return parts === undefined || parts === null ? undefined : this.wantedOfList(parts);
    }
    const chunks = chunksPerShard(collective);
    const shard = itemAt(shards, Math.floor(slot / chunks));
    // What the output holds of a shard of no bytes is not defined.
    if (collective.counts?.[shard] === 0) return undefined;
    return reduces(collective)
      ? this.wantedOfRanks(rank, shard * chunks + (slot % chunks))
      : this.wantedOfShard(shard, slot % chunks);
  }

  /** The input chunk of the same name. */
  private wantedOfShard(shard: number, chunk: number): WantedValue {
    return { name: `${shard},${chunk}`, leaves: () => [itemAt(this.run.firstOfShard, shard) + chunk] };
  }

  /** The input chunks of all ranks, or in scans of the ranks up to this one or before it. In reductions each input has all shards that are wanted. */
  private wantedOfRanks(rank: number, inputSlot: number): WantedValue | undefined {
    const { kind, ranks } = this.plan.collective;
    const contributors = kind === 'scan' ? rank + 1 : kind === 'exscan' ? rank : ranks;
    // Rank 0 of an exscan gets nothing.
    if (contributors === 0) return undefined;
    const leaves = (): number[] => this.run.firstInput.slice(0, contributors).map((first) => first + inputSlot);
    return { name: `${inputSlot},${contributors}`, leaves };
  }

  /** The input chunks that a condition lists. */
  private wantedOfList(parts: readonly InputChunk[]): WantedValue {
    const names = parts.map(({ rank, chunk }) => `${rank}:${chunk}`);
    if (!this.plan.collective.ordered) names.sort();
    return { name: names.join(), leaves: () => parts.map((part) => this.leafOf(part)) };
  }

  private leafOf({ rank, chunk }: InputChunk): number {
    const slots = this.plan.buffers[rank]?.input ?? 0;
    requireForm(isWhole(chunk, 0, slots - 1), `custom names chunk ${chunk} of rank ${rank}, which has ${slots}`);
    return itemAt(this.run.firstInput, rank) + chunk;
  }
}
