/** Reads a parsed plan file (docs/plan-format.md) into tables. Types are checked here; `form.ts` checks ranges. */
import { JsonValue } from './json-value.ts';
import { none, Refusal } from './refusal.ts';
import type {
  BufferSlots,
  CollectiveRecord,
  CustomRecord,
  InputChunk,
  MessageRules,
  OperationColumns,
  PlanTables,
} from './tables.ts';

export interface PlanFile extends PlanTables {
  /** By lane: the id by which the file names it. */
  readonly laneId: Int32Array;
  /** How many messages a connection buffers, as the file states it; undefined is any number. */
  readonly inflight: number | undefined;
}

/**
 * @param json what `JSON.parse` makes of the file
 * @throws Refusal 'malformed' where the document is not a full plan of version 1
 */
export function readPlanFile(json: unknown): PlanFile {
  const plan: JsonValue = new JsonValue(json, 'plan');
  plan.field('format').among(['ccc-plan']);
  plan.field('version').among([1]);
  plan.check(plan.field('symmetry').is(undefined), 'a full plan: only compact plans have a symmetry');
  const programs = readPrograms(plan.field('programs'));
  return {
    ...{ collective: readCollective(plan.field('collective')), ...programs.tables() },
    bulks: plan.field('bulks').or(1, integer),
    scratchPerBulk: plan.field('scratchPerBulk').or(1, integer),
    size: plan.field('size').or(undefined, integer),
    limits: plan.field('limits').or({}, readLimits),
    inflight: plan.field('verification').or(undefined, readInflight),
  };
}

const integer = (value: JsonValue): number => value.integer();
const integers = (value: JsonValue): readonly number[] => value.integers();
const int32 = (value: JsonValue): number => value.int32();
const boolean = (value: JsonValue): boolean => value.boolean();

function readLimits(limits: JsonValue): MessageRules {
  return {
    alignment: limits.field('alignment').or(undefined, integer),
    messageIds: limits.field('messageIds').or(undefined, integer),
  };
}

function readInflight(verification: JsonValue): number | undefined {
  const inflight = verification.field('inflight');
  return inflight.is('unbounded') ? undefined : inflight.or(undefined, integer);
}

function readCollective(collective: JsonValue): CollectiveRecord {
  return {
    kind: collective.field('kind').text(),
    ranks: collective.field('ranks').integer(),
    chunks: collective.field('chunks').integer(),
    root: collective.field('root').or(0, integer),
    op: collective.field('op').or('sum', (op) => op.text()),
    ordered: collective.field('ordered').or(false, boolean),
    inPlace: collective.field('inPlace').or(false, boolean),
    counts: collective.field('counts').or(undefined, integers),
    custom: collective.field('custom').or(undefined, readCondition),
  };
}

function readCondition(custom: JsonValue): CustomRecord {
  return {
    input: custom.field('input').integers(),
    output: custom.field('output').integers(),
    inputAt: custom.field('inputAt').or(undefined, integers),
    results: custom
      .field('results')
      .items()
      .map((slots) => slots.items().map(readParts)),
  };
}

/** The input chunks that an output slot combines; `null` where it may hold anything. */
function readParts(slot: JsonValue): readonly InputChunk[] | null {
  if (slot.is(null)) return null;
  return slot.items().map((part) => ({ rank: part.field('rank').integer(), chunk: part.field('chunk').integer() }));
}

/** The programs stand in any order; there is one for each rank. */
function readPrograms(list: JsonValue): ProgramTables {
  const rankOf = (program: JsonValue): number => program.field('rank').integer();
  const tables = new ProgramTables();
  for (const [rank, program] of list
    .items()
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .entries()) {
    if (rankOf(program) !== rank) throw new Refusal('malformed', `there is not exactly one program for rank ${rank}`);
    tables.addProgram(program);
  }
  return tables;
}

const operationNames = ['copy', 'reduce', 'send', 'recv', 'recvReduce'];
const bufferNames = ['input', 'output', 'scratch'];
const operandOrders = ['held-first', 'received-first'];

/** The tables of a plan while its programs are read, rank after rank. */
class ProgramTables {
  private readonly buffers: BufferSlots[] = [];
  private readonly firstLane = [0];
  private readonly laneId: number[] = [];
  private readonly firstOp = [0];
  private readonly kind: number[] = [];
  private readonly peer: number[] = [];
  private readonly channel: number[] = [];
  private readonly receivedFirst: number[] = [];
  private readonly source = new SliceColumns();
  private readonly destination = new SliceColumns();
  private readonly firstAfter = [0];
  private readonly afterOp: number[] = [];
  private readonly afterBulks: number[] = [];

  addProgram(program: JsonValue): void {
    const buffers = program.field('buffers');
    const slots = (name: string): number => buffers.field(name).integer();
    this.buffers.push({ input: slots('input'), output: slots('output'), scratch: slots('scratch') });
    const lanes = program
      .field('lanes')
      .items()
      .map((lane) => ({ id: lane.field('id').int32(), ops: lane.field('ops').items() }));
    /** By lane id: the first operation, and the number of operations. */
    const places = new Map<number, LanePlace>();
    for (const { id, ops } of lanes) {
      program.check(!places.has(id), `a program whose lanes have different ids`);
      const first = this.firstOp.at(-1) ?? 0;
      places.set(id, { first, length: ops.length });
      this.laneId.push(id);
      this.firstOp.push(first + ops.length);
    }
    this.firstLane.push(this.laneId.length);
    for (const { ops } of lanes) for (const operation of ops) this.addOperation(operation, places);
  }

  private addOperation(operation: JsonValue, lanes: ReadonlyMap<number, LanePlace>): void {
    this.kind.push(operation.field('op').among(operationNames));
    this.peer.push(operation.field('peer').or(none, int32));
    this.channel.push(operation.field('channel').or(0, int32));
    this.receivedFirst.push(operation.field('order').or(0, (order) => order.among(operandOrders)));
    this.source.add(operation.field('src'));
    this.destination.add(operation.field('dst'));
    for (const wait of operation.field('after').or([], (after) => after.items())) this.addWait(wait, lanes);
    this.firstAfter.push(this.afterOp.length);
  }

  /** `[lane id, index]`, or `[lane id, index, bulks]` for the operation so many bulks earlier. */
  private addWait(wait: JsonValue, lanes: ReadonlyMap<number, LanePlace>): void {
    const [id, index, bulks, ...more] = wait.items();
    const lane = id === undefined ? undefined : lanes.get(id.int32());
    wait.check(lane !== undefined && index !== undefined && more.length === 0, 'a lane id and an index there');
    wait.check(index.int32() >= 0 && index.int32() < lane.length, 'an operation of its lane');
    this.afterOp.push(lane.first + index.int32());
    this.afterBulks.push(bulks?.int32() ?? 0);
  }

  tables(): Pick<PlanFile, 'buffers' | 'firstLane' | 'laneId' | 'firstOp' | 'ops'> {
    const { source, destination } = this;
    const ops: OperationColumns = {
      kind: Int32Array.from(this.kind),
      peer: Int32Array.from(this.peer),
      channel: Int32Array.from(this.channel),
      receivedFirst: Int32Array.from(this.receivedFirst),
      srcBuffer: Int32Array.from(source.buffer),
      srcOffset: Int32Array.from(source.offset),
      srcCount: Int32Array.from(source.count),
      dstBuffer: Int32Array.from(destination.buffer),
      dstOffset: Int32Array.from(destination.offset),
      dstCount: Int32Array.from(destination.count),
      firstAfter: Int32Array.from(this.firstAfter),
      afterOp: Int32Array.from(this.afterOp),
      afterBulks: Int32Array.from(this.afterBulks),
    };
    return {
      buffers: this.buffers,
      firstLane: Int32Array.from(this.firstLane),
      laneId: Int32Array.from(this.laneId),
      firstOp: Int32Array.from(this.firstOp),
      ops,
    };
  }
}

/** Where a lane's operations stand in the table of operations. */
interface LanePlace {
  readonly first: number;
  readonly length: number;
}

/** The sources or the destinations of all operations. */
class SliceColumns {
  readonly buffer: number[] = [];
  readonly offset: number[] = [];
  readonly count: number[] = [];

  /** `[buffer, first slot, slots]`, or nothing for an operation without such a slice. */
  add(slice: JsonValue): void {
    const [buffer, offset, count, ...more] = slice.or(undefined, (list) => list.items()) ?? [];
    const isSlice = buffer !== undefined && offset !== undefined && count !== undefined && more.length === 0;
    slice.check(isSlice || slice.is(undefined), 'a buffer, a first slot and a number of slots');
    this.buffer.push(buffer?.among(bufferNames) ?? none);
    this.offset.push(offset?.int32() ?? 0);
    this.count.push(count?.int32() ?? 0);
  }
}
