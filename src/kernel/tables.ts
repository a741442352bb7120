/**
 * A full plan as plain tables, which is all that the kernel looks at. Plans in memory are kept in columns of this shape, and `read.ts` fills the
 * same columns from a file. docs/plan-format.md says what a plan means; docs/verification.md argues why the kernel's rules are enough.
 *
 * A table of rows that belong to owners is stored flat: `first[owner] … first[owner + 1] − 1` are the rows of an owner. So rank r has the lanes
 * `firstLane[r] … firstLane[r + 1] − 1`, lane l has the operations `firstOp[l] … firstOp[l + 1] − 1` in the order in which they run, and
 * operation o has the waits `firstAfter[o] … firstAfter[o + 1] − 1`.
 */
export interface PlanTables {
  readonly collective: CollectiveRecord;
  /** The number of equal slices of the message, which pass through the programs one after the other. */
  readonly bulks: number;
  /** The number of copies of scratch: bulk b uses copy `b mod scratchPerBulk`. */
  readonly scratchPerBulk: number;
  /** Slots of each buffer, by rank. */
  readonly buffers: readonly BufferSlots[];
  readonly firstLane: Int32Array;
  readonly firstOp: Int32Array;
  readonly ops: OperationColumns;
  /** The message size M in bytes, if the plan is for one size. */
  readonly size?: number | undefined;
  /** What the machine states of its messages. */
  readonly limits?: MessageRules;
}

/** The slots of a rank's buffers; a slot holds one chunk. `scratch` counts one copy. */
export interface BufferSlots {
  readonly input: number;
  readonly output: number;
  readonly scratch: number;
}

/** One entry per operation in each column, except for the columns of waits. */
export interface OperationColumns {
  /** A code of `operationCode`. */
  readonly kind: Int32Array;
  /** The other rank of a message, −1 for copies and reductions. */
  readonly peer: Int32Array;
  readonly channel: Int32Array;
  /** Of a reduction: 1 if the incoming operand stands on the left (source ⊕ destination), 0 if it stands on the right. */
  readonly receivedFirst: Int32Array;
  /** The slice that is read: code of the buffer, first slot, slots. The buffer is −1 for receives. */
  readonly srcBuffer: Int32Array;
  readonly srcOffset: Int32Array;
  readonly srcCount: Int32Array;
  /** The slice that is written. The buffer is −1 for sends. */
  readonly dstBuffer: Int32Array;
  readonly dstOffset: Int32Array;
  readonly dstCount: Int32Array;
  readonly firstAfter: Int32Array;
  /** By wait: the operation of the same rank that must be complete first. */
  readonly afterOp: Int32Array;
  /** By wait: how many bulks before the waiting operation's own bulk that operation runs; 0 is the same bulk. */
  readonly afterBulks: Int32Array;
  /** By receive: the later send of its lane that must have room before the message is taken, or −1. Plan files have no such operations. */
  readonly relay?: Int32Array;
}

export const operationCode = { copy: 0, reduce: 1, send: 2, recv: 3, recvReduce: 4 } as const;
export const bufferCode = { input: 0, output: 1, scratch: 2 } as const;

/** The operation takes part in a message: it is a send or one of the two receives. */
export function isMessage(kind: number): boolean {
  return kind >= operationCode.send;
}
/** The operation takes a message. */
export function isReceive(kind: number): boolean {
  return kind === operationCode.recv || kind === operationCode.recvReduce;
}
/** The operation combines what it moves with what its destination holds. */
export function isReduction(kind: number): boolean {
  return kind === operationCode.reduce || kind === operationCode.recvReduce;
}

export interface MessageRules {
  /** Bytes: every address and length of a message is a multiple of it. */
  readonly alignment?: number | undefined;
  /** The most messages of one connection that may be on their way at once. */
  readonly messageIds?: number | undefined;
}

/** A collective as plan files state it (docs/collectives.md). `collective.ts` says which values make sense. */
export interface CollectiveRecord {
  readonly kind: string;
  readonly ranks: number;
  /** C, the chunks of a shard. */
  readonly chunks: number;
  readonly root: number;
  readonly op: string;
  /** The operator does not commute, so that contributions are combined in rank order. */
  readonly ordered: boolean;
  /** Input and output share memory. */
  readonly inPlace: boolean;
  /** Bytes of each shard, where shards differ. */
  readonly counts?: readonly number[] | undefined;
  /** The condition of a custom collective, which no other kind has. */
  readonly custom?: CustomRecord | undefined;
}

export interface CustomRecord {
  /** Slots of each rank's input and output. */
  readonly input: readonly number[];
  readonly output: readonly number[];
  /** In place: the slot of each rank's output that is slot 0 of its input; negative where the input begins earlier. */
  readonly inputAt?: readonly number[] | undefined;
  /** By rank: the input chunks that each output slot must combine, in order; nothing where the slot may hold anything. */
  readonly results: readonly WantedSlots[];
}

/** A look-up rather than a list: arrays have this shape, and a plan in memory can compute what it is asked for. */
export interface WantedSlots {
  readonly length: number;
  at(slot: number): readonly InputChunk[] | null | undefined;
}

export interface InputChunk {
  readonly rank: number;
  readonly chunk: number;
}

/**
 * The entry of a column. An index outside of the column is an error of the kernel, and ends the check: as `undefined` it would make every comparison
 * false, and a rule that is skipped says yes. All columns are of one type, since V8 compiles this function into its callers for one type only.
 */
export function intAt(column: Int32Array, index: number): number {
  return column[index] ?? outside(column, index);
}

/** As `intAt`, for lists. */
export function itemAt<Item>(list: readonly Item[], index: number): Item {
  return list[index] ?? outside(list, index);
}

function outside({ length }: ArrayLike<unknown>, index: number): never {
  throw new RangeError(`the kernel looked at entry ${index} of ${length}`);
}
