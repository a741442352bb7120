/** One operation of a plan's JSON. */
import {
  type NewOperation,
  type OperationKind,
  operationFrom,
  operationKinds,
  planBuffers,
  type Slice,
} from '../../ir/plan.ts';
import type { OperandOrder } from '../../ir/schedule.ts';
import type { JsonReader } from './json-reader.ts';

/** An entry of `after`: an operation of the same rank. */
export interface Wait {
  /** The id of the lane of that operation. */
  readonly lane: number;
  readonly index: number;
  readonly bulks: number;
  /** The place of the entry in the file. */
  readonly start: number;
}

export interface ReadOperation {
  readonly operation: NewOperation;
  readonly after: readonly Wait[];
  readonly start: number;
}

/** The fields that have been read so far; they may come in any order. */
interface Operands {
  peer?: number;
  channel?: number;
  src?: Slice;
  dst?: Slice;
  order?: OperandOrder;
  nanoseconds?: number;
}
type OperandKey = keyof Operands;

const orders: readonly OperandOrder[] = ['held-first', 'received-first'];

/** For each kind of operation, the operands that it must have and those that it may have. */
const operandsOf: Readonly<
  Record<OperationKind, { readonly needs: readonly OperandKey[]; readonly may: readonly OperandKey[] }>
> = {
  copy: { needs: ['src', 'dst'], may: ['nanoseconds'] },
  reduce: { needs: ['src', 'dst'], may: ['order'] },
  send: { needs: ['peer', 'src'], may: ['channel'] },
  recv: { needs: ['peer', 'dst'], may: ['channel'] },
  recvReduce: { needs: ['peer', 'dst'], may: ['channel', 'order'] },
};

/** @throws CccError 'malformed' for an operand that is missing, wrong or not one of its kind of operation */
export function readPlanOperation(json: JsonReader): ReadOperation {
  const start = json.offset;
  const operands: Operands = {};
  const common: { kind?: OperationKind; step?: number; after: readonly Wait[] } = { after: [] };
  json.object('an operation', (key) => {
    if (key === 'op') common.kind = json.word('an operation', operationKinds);
    else if (key === 'step') common.step = json.integer('a step', 0);
    else if (key === 'after') common.after = readAfter(json);
    else readOperand(json, key, operands);
  });
  const { kind, step, after } = common;
  if (kind === undefined) throw json.malformed("an operation needs 'op'", start);
  if (step === undefined) throw json.malformed(`${kind} needs 'step'`, start);
  checkOperands(json, kind, operands, start);
  return { operation: operationFrom(kind, { step, ...operands }), after, start };
}

function readOperand(json: JsonReader, key: string, operands: Operands): void {
  switch (key) {
    case 'peer':
      operands.peer = json.integer('a rank', 0);
      break;
    case 'channel':
      operands.channel = json.integer('a channel', 0);
      break;
    case 'src':
      operands.src = readSlice(json);
      break;
    case 'dst':
      operands.dst = readSlice(json);
      break;
    case 'order':
      operands.order = json.word('an order of operands', orders);
      break;
    case 'nanoseconds':
      operands.nanoseconds = json.integer('a time in nanoseconds', 0);
      break;
    default:
      json.skip();
  }
}

function checkOperands(json: JsonReader, kind: OperationKind, operands: Operands, start: number): void {
  const { needs, may } = operandsOf[kind];
  for (const key of needs) {
    if (operands[key] === undefined) throw json.malformed(`${kind} needs '${key}'`, start);
  }
  for (const key of ['peer', 'channel', 'src', 'dst', 'order', 'nanoseconds'] as const) {
    if (operands[key] !== undefined && !needs.includes(key) && !may.includes(key)) {
      throw json.malformed(`${kind} has no '${key}'`, start);
    }
  }
}

/** Reads an operand: `[buffer, first chunk, count]`. */
function readSlice(json: JsonReader): Slice {
  const what = 'a slice [buffer, first chunk, count]';
  const start = json.offset;
  const found: { -readonly [Key in keyof Slice]?: Slice[Key] } = {};
  json.list(what, (index) => {
    if (index === 0) found.buffer = json.word('a buffer', planBuffers);
    else if (index === 1) found.offset = json.integer('a first chunk', 0);
    else if (index === 2) found.count = json.integer('a number of chunks', 0);
    else throw json.malformed(`expected ${what}, found more entries`, start);
  });
  const { buffer, offset, count } = found;
  if (buffer === undefined || offset === undefined || count === undefined) {
    throw json.malformed(`expected ${what}, found fewer entries`, start);
  }
  return { buffer, offset, count };
}

/** Reads `after`: a list of `[lane id, index]` or `[lane id, index, bulks]`. */
function readAfter(json: JsonReader): readonly Wait[] {
  const waits: Wait[] = [];
  json.list('the operations to wait for', () => {
    const what = 'an operation to wait for, [lane id, index] or [lane id, index, bulks]';
    const start = json.offset;
    const numbers: number[] = [];
    json.list(what, (index) => {
      if (index === 3) throw json.malformed(`expected ${what}, found more entries`, start);
      numbers.push(json.integer(index === 2 ? 'a number of bulks' : 'a lane and an index', 0));
    });
    if (numbers.length < 2) throw json.malformed(`expected ${what}, found fewer entries`, start);
    const [lane, index, bulks = 0] = numbers;
    waits.push({ lane, index, bulks, start });
  });
  return waits;
}
