/** The addresses of elements in one memory that all ranks share. ir/element-layout.ts defines which elements a slot has. */

import { inputChunks, outputChunks } from '../ir/collective.ts';
import { ElementLayout, type ElementLayoutRequest } from '../ir/element-layout.ts';
import { cacheLine } from '../ir/units.ts';

export interface LayoutRequest extends ElementLayoutRequest {
  /** The sends that are staged, with the number of chunks for which each needs room. */
  readonly staged: readonly (readonly [operation: number, chunks: number])[];
}

/** Codes of the buffers, as in the plan's tables. */
const [inputCode, outputCode, scratchCode] = [0, 1, 2];

/** Byte addresses of everything. */
export class ByteLayout {
  /** Size of the memory in bytes. */
  readonly bytes: number;
  /** The address of the first byte of the slot that `find` has located, and its number of elements. */
  address = 0;
  length = 0;

  private readonly request: LayoutRequest;
  private readonly elements: ElementLayout;
  /** `bases[3 · rank + buffer]`: first byte of the buffer. */
  private readonly bases: Float64Array;
  private readonly stagedAt = new Map<number, number>();

  constructor(request: LayoutRequest) {
    this.request = request;
    const { scratchPerBulk, buffers, elementBytes, staged, alignment = cacheLine } = request;
    this.elements = new ElementLayout(request);
    const { scratchLength } = this.elements;
    this.bases = new Float64Array(3 * buffers.length);
    const line = Math.ceil(alignment / cacheLine) * cacheLine;
    let free = line;
    const reserve = (count: number): number => {
      const start = free;
      free = Math.ceil((start + count * elementBytes) / line) * line;
      return start;
    };
    buffers.forEach(({ scratch }, rank) => {
      this.placeBuffers(rank, reserve);
      this.bases[3 * rank + scratchCode] = reserve(scratch * scratchPerBulk * scratchLength);
    });
    for (const [operation, count] of staged) this.stagedAt.set(operation, reserve(count * scratchLength));
    this.bytes = free;
  }

  /** The shards of a buffer (the slots, for custom collectives): the first element of each, and one more entry for the end. */
  shards(rank: number, buffer: 'input' | 'output'): Float64Array {
    return this.elements.shards(rank, buffer);
  }

  /** Whether all chunks have one size. */
  get isEven(): boolean {
    return this.elements.isEven;
  }

  /** First byte of a rank's input or output. */
  base(rank: number, buffer: 'input' | 'output'): number {
    return this.bases[3 * rank + (buffer === 'input' ? inputCode : outputCode)];
  }

  /** Locates a slot in a bulk, and stores the result in `address` and `length`. */
  find(rank: number, buffer: number, slot: number, bulk: number): void {
    const { elements, bases } = this;
    elements.find(rank, buffer, slot, bulk);
    this.length = elements.length;
    this.address = bases[3 * rank + Math.min(buffer, scratchCode)] + elements.first * this.request.elementBytes;
  }

  /** Locates the `index`-th chunk of a staged message, like `find`. */
  findStaged(operation: number, index: number): void {
    this.length = this.elements.scratchLength;
    this.address = (this.stagedAt.get(operation) ?? 0) + index * this.length * this.request.elementBytes;
  }

  /** Places input and output side by side or, for collectives in place, overlapping as docs/collectives.md says. */
  private placeBuffers(rank: number, reserve: (elements: number) => number): void {
    const { collective, elementBytes } = this.request;
    const [inputs, outputs] = [this.shards(rank, 'input').at(-1) ?? 0, this.shards(rank, 'output').at(-1) ?? 0];
    const at = 3 * rank;
    if (!collective.inPlace || inputChunks(collective, rank) === 0 || outputChunks(collective, rank) === 0) {
      this.bases[at + inputCode] = reserve(inputs);
      this.bases[at + outputCode] = reserve(outputs);
      return;
    }
    /** The first element of the input relative to the output; negative if it lies before it. */
    const shift = this.elements.inputShift(rank);
    const start = reserve(Math.max(shift + inputs, outputs) - Math.min(0, shift));
    this.bases[at + inputCode] = start + Math.max(0, shift) * elementBytes;
    this.bases[at + outputCode] = start + Math.max(0, -shift) * elementBytes;
  }
}
