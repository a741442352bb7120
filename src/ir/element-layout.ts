/**
 * Maps the slots of a plan to elements (docs/plan-format.md). Shards are fixed by the collective, whatever the plan: with n elements on N ranks,
 * shard i is elements floor(i·n/N) … floor((i+1)·n/N) − 1. In a shard of u units, chunk c of bulk b is units floor(q·u/(k·C)) …
 * floor((q+1)·u/(k·C)) − 1 with q = b·C + c, so that consecutive chunks of a bulk are contiguous. A unit is one element, or as many as the alignment
 * of the machine's messages requires; the last unit of a shard may be shorter. An alltoall shard must have the same size at both ends: the one from i
 * to j has the size of part (i + j) mod N of n. The chunks of a custom collective may go anywhere, so that all of them have floor(n / chunks)
 * elements.
 */

import {
  type Collective,
  chunksPerShard,
  collectiveFacts,
  inputChunks,
  messageChunks,
  outputChunks,
  shardOf,
} from './collective.ts';
import { floatAt, itemAt } from './indexing.ts';
import type { ProgramBuffers } from './plan.ts';
import { countsRequired } from './shards.ts';
import type { Bytes } from './units.ts';

/** The parts of a plan that decide where its elements lie. */
export interface ElementLayoutRequest {
  readonly collective: Collective;
  readonly bulks: number;
  readonly scratchPerBulk: number;
  readonly buffers: readonly ProgramBuffers[];
  /** n: the number of elements of the message M; with counts, it follows from these. */
  readonly elements: number;
  readonly elementBytes: Bytes;
  /** Alignment of addresses and lengths in bytes, if the machine requires one. */
  readonly alignment?: Bytes | undefined;
}

/** Codes of the buffers, as in the plan's tables. */
const [inputCode, outputCode] = [0, 1];

/** Cut q of `parts` equal cuts of `length`, rounded down; exact as long as `parts` squared is below 2⁵³. */
function cut(length: number, q: number, parts: number): number {
  const whole = Math.floor(length / parts);
  return q * whole + Math.floor((q * (length - whole * parts)) / parts);
}

export class ElementLayout {
  /** Results of the last call of `find`: the first element of the slot in its buffer, and its number of elements. */
  first = 0;
  length = 0;
  /** Elements of a slot of scratch, which has room for the largest chunk. */
  readonly scratchLength: number;

  private readonly request: ElementLayoutRequest;
  /** Chunks of a shard (`chunksPerShard`). */
  private readonly chunks: number;
  /** Elements of a unit. */
  private readonly unit: number;
  /** `starts[2 · rank + buffer]`: the first element of each shard of the buffer, and as last entry the number of its elements. */
  private readonly starts: readonly Float64Array[];

  constructor(request: ElementLayoutRequest) {
    this.request = request;
    const { collective, bulks, elementBytes, alignment = 0 } = request;
    this.chunks = chunksPerShard(collective);
    this.unit = Math.max(1, Math.floor(alignment / elementBytes));
    this.starts = shardStarts(request, this.chunks);
    let longest = 0;
    for (const starts of this.starts) {
      for (let i = 0; i + 1 < starts.length; i++)
        longest = Math.max(longest, floatAt(starts, i + 1) - floatAt(starts, i));
    }
    this.scratchLength = Math.ceil(Math.ceil(longest / this.unit) / (bulks * this.chunks)) * this.unit;
  }

  /** By shard of a buffer (by slot for custom collectives), its first element; one more entry for the end. */
  shards(rank: number, buffer: 'input' | 'output'): Float64Array {
    return itemAt(this.starts, 2 * rank + (buffer === 'input' ? inputCode : outputCode));
  }

  /** Whether all chunks have the same number of elements. */
  get isEven(): boolean {
    const part = this.request.bulks * this.chunks * this.unit;
    const length = this.starts.find((starts) => starts.length > 1)?.[1] ?? 0;
    return this.starts.every((starts) =>
      starts.every((start, i) => start === i * length && (start % part === 0 || i === 0)),
    );
  }

  /**
   * Finds a slot of a bulk and stores its place in `first` and `length`, so that hot loops allocate nothing. Copies of scratch lie one behind the
   * other.
   */
  find(rank: number, buffer: number, slot: number, bulk: number): void {
    const { bulks, scratchPerBulk, buffers } = this.request;
    if (buffer > outputCode) {
      this.length = this.scratchLength;
      this.first = ((bulk % scratchPerBulk) * itemAt(buffers, rank).scratch + slot) * this.scratchLength;
      return;
    }
    const starts = itemAt(this.starts, 2 * rank + buffer);
    const shard = this.chunks === 1 ? slot : Math.floor(slot / this.chunks);
    const length = floatAt(starts, shard + 1) - floatAt(starts, shard);
    const parts = bulks * this.chunks;
    const q = bulk * this.chunks + slot - shard * this.chunks;
    const first = this.cutAt(length, q, parts);
    this.length = this.cutAt(length, q + 1, parts) - first;
    this.first = floatAt(starts, shard) + first;
  }

  /**
   * In place only: the output element that shares memory with the first input element of the rank; negative if the input begins before the output.
   */
  inputShift(rank: number): number {
    const { collective } = this.request;
    const [input, output] = [this.shards(rank, 'input'), this.shards(rank, 'output')];
    switch (collective.kind) {
      case 'allgather':
        return floatAt(output, rank);
      case 'gather':
        return floatAt(output, collective.root);
      case 'reducescatter':
        return -floatAt(input, rank);
      case 'scatter':
        return -floatAt(input, collective.root);
      case 'custom':
        // All slots have one length. A rank without input has nothing to shift.
        return input.length < 2
          ? 0
          : (collective.custom?.inputAt?.[rank] ?? 0) * (floatAt(input, 1) - floatAt(input, 0));
      default:
        return 0;
    }
  }

  private cutAt(length: number, q: number, parts: number): number {
    if (this.unit === 1) return cut(length, q, parts);
    return Math.min(length, cut(Math.ceil(length / this.unit), q, parts) * this.unit);
  }
}

/** Elements of each shard, in the order of `counts` (shards.ts). */
function shardLengths({ collective, elements, elementBytes }: ElementLayoutRequest): Float64Array {
  const { kind, ranks, counts } = collective;
  if (counts !== undefined) return Float64Array.from(counts, (count) => count / elementBytes);
  const part = (i: number): number => cut(elements, i + 1, ranks) - cut(elements, i, ranks);
  return Float64Array.from({ length: countsRequired(kind, ranks) }, (_, index) =>
    part(kind === 'alltoall' ? (Math.floor(index / ranks) + index) % ranks : index),
  );
}

function shardStarts(request: ElementLayoutRequest, chunks: number): Float64Array[] {
  const { collective, elements } = request;
  const lengths = shardLengths(request);
  const whole = collective.kind === 'custom' ? Math.floor(elements / messageChunks(collective)) : elements;
  const lengthOf = (buffer: 'input' | 'output', rank: number, shard: number): number => {
    if (!collectiveFacts[collective.kind].sharded) return whole;
    return floatAt(lengths, shardOf(collective, buffer, rank, shard * chunks));
  };
  const all: Float64Array[] = [];
  for (let rank = 0; rank < collective.ranks; rank++) {
    for (const buffer of ['input', 'output'] as const) {
      const count = (buffer === 'input' ? inputChunks : outputChunks)(collective, rank) / chunks;
      const starts = new Float64Array(count + 1);
      for (let shard = 0; shard < count; shard++)
        starts[shard + 1] = floatAt(starts, shard) + lengthOf(buffer, rank, shard);
      all.push(starts);
    }
  }
  return all;
}
