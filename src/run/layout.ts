/**
 * Where elements lie. Shards are the user's: shard i of n elements over N is floor(i·n/N) … floor((i+1)·n/N) − 1, whatever the plan. Within a
 * shard of s elements, chunk c of bulk b is floor(q·s/(k·C)) … floor((q+1)·s/(k·C)) − 1 with q = b·C + c, so that a run of chunks of one bulk
 * is contiguous. An alltoall shard has the same size at both its ends: the one from i to j is part (i + j) mod N of n. A custom collective's
 * chunks may go anywhere, so that all have floor(n / chunks) elements.
 */
import {
  type Collective,
  collectiveFacts,
  inputChunks,
  messageChunks,
  outputChunks,
  shardOf,
} from '../ir/collective.ts';
import type { ProgramBuffers } from '../ir/plan.ts';
import { countsTaken } from '../ir/shards.ts';

/** The parts of a plan that decide where its elements lie. */
export interface LayoutRequest {
  readonly collective: Collective;
  readonly bulks: number;
  readonly scratchPerBulk: number;
  readonly buffers: readonly ProgramBuffers[];
  /** n: elements of the message M; with counts they say how many there are. */
  readonly elements: number;
  readonly elementBytes: number;
  /** Elements that each staged send needs room for are counted in chunks: `[operation, chunks]`. */
  readonly staged: readonly (readonly [operation: number, chunks: number])[];
}

/** Starts of buffers are multiples of this: a cache line. */
const alignment = 64;

/** Codes of the buffers, as in the plan's tables. */
const inputCode = 0;
const outputCode = 1;

/** Cut q of `parts` equal cuts of `length` elements, rounded down; exact as long as `parts` squared is below 2⁵³. */
function cut(length: number, q: number, parts: number): number {
  const whole = Math.floor(length / parts);
  return q * whole + Math.floor((q * (length - whole * parts)) / parts);
}

/** Elements of each shard, in the order of `counts` (ir/shards.ts). */
function shardLengths({ collective, elements, elementBytes }: LayoutRequest): Float64Array {
  const { kind, ranks, counts } = collective;
  if (counts !== undefined) return Float64Array.from(counts, (count) => count / elementBytes);
  const part = (i: number): number => cut(elements, i + 1, ranks) - cut(elements, i, ranks);
  return Float64Array.from({ length: countsTaken(kind, ranks) }, (_, index) =>
    part(kind === 'alltoall' ? (Math.floor(index / ranks) + index) % ranks : index),
  );
}

/** Byte addresses of everything in one memory that all ranks share. */
export class Layout {
  /** Bytes in all. */
  readonly bytes: number;
  /** Of the slot that `find` was asked for: its first byte, and its elements. */
  address = 0;
  length = 0;

  private readonly request: LayoutRequest;
  /** Chunks of a shard; 1 for custom collectives, whose slots all count as shards. */
  private readonly chunks: number;
  /** `starts[2 · rank + buffer]`: first element of each shard of the buffer, and the elements of all. */
  private readonly starts: readonly Float64Array[];
  /** `bases[3 · rank + buffer]`: first byte of the buffer. */
  private readonly bases: Float64Array;
  private readonly stagedAt = new Map<number, number>();
  /** Elements of a slot of scratch: those of the largest chunk. */
  private readonly scratchLength: number;

  constructor(request: LayoutRequest) {
    this.request = request;
    const { collective, bulks, scratchPerBulk, buffers, elementBytes, staged } = request;
    this.chunks = collective.kind === 'custom' ? 1 : collective.chunks;
    this.starts = shardStarts(request, this.chunks);
    let longest = 0;
    for (const starts of this.starts) {
      for (let i = 0; i + 1 < starts.length; i++) longest = Math.max(longest, starts[i + 1] - starts[i]);
    }
    this.scratchLength = Math.ceil(longest / (bulks * this.chunks));
    this.bases = new Float64Array(3 * buffers.length);
    let free = alignment;
    const reserve = (count: number): number => {
      const start = free;
      free = Math.ceil((start + count * elementBytes) / alignment) * alignment;
      return start;
    };
    buffers.forEach(({ scratch }, rank) => {
      this.placeBuffers(rank, reserve);
      this.bases[3 * rank + 2] = reserve(scratch * scratchPerBulk * this.scratchLength);
    });
    for (const [operation, count] of staged) this.stagedAt.set(operation, reserve(count * this.scratchLength));
    this.bytes = free;
  }

  /** Shards of a buffer (for custom collectives slots): the first element of each, and one more entry for the end. */
  shards(rank: number, buffer: 'input' | 'output'): Float64Array {
    return this.starts[2 * rank + (buffer === 'input' ? inputCode : outputCode)];
  }

  /** All chunks are of one size. */
  get isEven(): boolean {
    const parts = this.request.bulks * this.chunks;
    const [, length] = this.starts.find((starts) => starts.length > 1) ?? [0, 0];
    return this.starts.every((starts) =>
      starts.every((start, i) => start === i * length && (start % parts === 0 || i === 0)),
    );
  }

  /** First byte of a rank's input or output. */
  base(rank: number, buffer: 'input' | 'output'): number {
    return this.bases[3 * rank + (buffer === 'input' ? inputCode : outputCode)];
  }

  /** Finds a slot of a bulk: leaves its place in `address` and `length`. */
  find(rank: number, buffer: number, slot: number, bulk: number): void {
    const { bulks, scratchPerBulk, buffers, elementBytes } = this.request;
    const base = this.bases[3 * rank + buffer];
    if (buffer > outputCode) {
      const index = (bulk % scratchPerBulk) * buffers[rank].scratch + slot;
      this.length = this.scratchLength;
      this.address = base + index * this.scratchLength * elementBytes;
      return;
    }
    const starts = this.starts[2 * rank + buffer];
    const shard = this.chunks === 1 ? slot : Math.floor(slot / this.chunks);
    const length = starts[shard + 1] - starts[shard];
    const parts = bulks * this.chunks;
    const q = bulk * this.chunks + slot - shard * this.chunks;
    const first = cut(length, q, parts);
    this.length = cut(length, q + 1, parts) - first;
    this.address = base + (starts[shard] + first) * elementBytes;
  }

  /** Finds the place of the `index`-th chunk of a staged message, as `find`. */
  findStaged(operation: number, index: number): void {
    this.length = this.scratchLength;
    this.address = (this.stagedAt.get(operation) ?? 0) + index * this.scratchLength * this.request.elementBytes;
  }

  /** Input and output side by side, or one over the other as docs/collectives.md says for collectives in place. */
  private placeBuffers(rank: number, reserve: (elements: number) => number): void {
    const { collective, elementBytes } = this.request;
    const input = this.starts[2 * rank + inputCode];
    const output = this.starts[2 * rank + outputCode];
    const inputs = input[input.length - 1];
    const outputs = output[output.length - 1];
    const at = 3 * rank;
    if (!collective.inPlace || inputChunks(collective, rank) === 0 || outputChunks(collective, rank) === 0) {
      this.bases[at + inputCode] = reserve(inputs);
      this.bases[at + outputCode] = reserve(outputs);
      return;
    }
    /** First element of the input in the output; negative where it lies before. */
    const shift = inputShift(collective, rank, input, output);
    const start = reserve(Math.max(shift + inputs, outputs) - Math.min(0, shift));
    this.bases[at + inputCode] = start + Math.max(0, shift) * elementBytes;
    this.bases[at + outputCode] = start + Math.max(0, -shift) * elementBytes;
  }
}

/** In place: the output element that is the first input element. */
function inputShift(collective: Collective, rank: number, input: Float64Array, output: Float64Array): number {
  switch (collective.kind) {
    case 'allgather':
      return output[rank];
    case 'gather':
      return output[collective.root];
    case 'reducescatter':
      return -input[rank];
    case 'scatter':
      return -input[collective.root];
    case 'custom':
      // Slots have one length each, found from whichever buffer has one.
      return (collective.custom?.inputAt?.[rank] ?? 0) * (input[1] - input[0]);
    default:
      return 0;
  }
}

function shardStarts(request: LayoutRequest, chunks: number): Float64Array[] {
  const { collective, elements } = request;
  const lengths = shardLengths(request);
  const whole = collective.kind === 'custom' ? Math.floor(elements / messageChunks(collective)) : elements;
  const lengthOf = (buffer: 'input' | 'output', rank: number, shard: number): number => {
    if (!collectiveFacts[collective.kind].sharded) return whole;
    return lengths[shardOf(collective, buffer, rank, shard * chunks)];
  };
  const all: Float64Array[] = [];
  for (let rank = 0; rank < collective.ranks; rank++) {
    for (const buffer of ['input', 'output'] as const) {
      const count = (buffer === 'input' ? inputChunks : outputChunks)(collective, rank) / chunks;
      const starts = new Float64Array(count + 1);
      for (let shard = 0; shard < count; shard++) starts[shard + 1] = starts[shard] + lengthOf(buffer, rank, shard);
      all.push(starts);
    }
  }
  return all;
}
