/**
 * The memory layout of a plan at one message size: the cells of every chunk, share of a block and piece of a pipeline. A cell is the largest unit
 * that no operation divides, so that what holds for each cell holds for each byte. A packet occupies two cells of scratch, plain data one.
 */
import { type Collective, memoryLayout } from '../../ir/collective.ts';
import type { PlanBuffer } from '../../ir/plan.ts';
import type { Bytes } from '../../ir/units.ts';
import type { ExecutionOperation, ExecutionPlan } from '../execution-plan.ts';

/** A message size at which a plan is checked. */
export interface JudgedSize {
  /** Bytes of a chunk. */
  readonly chunk: Bytes;
  /** Bytes of a cell. */
  readonly cell: Bytes;
}

/** A range of consecutive cells that an operation reads or writes. Element e of packets has two cells, from `first + 2e` on. */
export interface CellSpan {
  readonly first: number;
  readonly packets: boolean;
  /** Whether the reader waits for the flags of packets. */
  readonly waits: boolean;
  /** The gpu whose memory it is. */
  readonly gpu: number;
  readonly buffer: PlanBuffer;
}

/** The first byte and the number of bytes of a block's share of some chunks. Shares are as equal as whole units of alignment permit. */
export function shareOf(
  bytes: Bytes,
  alignment: Bytes,
  share: ExecutionOperation['share'],
): { start: Bytes; bytes: Bytes } {
  if (share === undefined) return { start: 0, bytes };
  const units = Math.floor(bytes / alignment);
  const least = Math.floor(units / share.blocks);
  const larger = units % share.blocks;
  const start = (block: number): number => (block * least + Math.min(block, larger)) * alignment;
  return { start: start(share.block), bytes: start(share.block + 1) - start(share.block) };
}

/** Bytes of scratch that the runtime allocates for plans that reuse resources. */
const reusedScratch: Bytes = 2 ** 26;

/** The bytes of that scratch that a chunk may use. */
export function pieceOfScratch({ doubleScratch, alignment }: ExecutionPlan, chunks: number): Bytes {
  if (chunks === 0) return 0;
  const piece = Math.ceil((doubleScratch ? reusedScratch / 2 : reusedScratch) / chunks);
  return Math.ceil(piece / alignment) * alignment;
}

/** Numbers the cells of all gpus consecutively: for each gpu its input and output (one memory in place), then scratch. */
export class CellLayout {
  readonly plan: ExecutionPlan;
  readonly scale: JudgedSize;
  readonly cells: number;
  /** First cell of each buffer of each gpu. */
  private readonly first: readonly Readonly<Record<PlanBuffer, number>>[];
  private readonly perChunk: number;
  /** By gpu: bytes from one chunk of scratch to the next. */
  private readonly scratchChunk: readonly Bytes[];

  /** @param collective the collective at the granularity of cells */
  constructor(plan: ExecutionPlan, collective: Collective, scale: JudgedSize) {
    this.plan = plan;
    this.scale = scale;
    this.perChunk = scale.chunk / scale.cell;
    this.scratchChunk = plan.gpus.map(({ chunks }) =>
      plan.reuseResources ? Math.min(scale.chunk, pieceOfScratch(plan, chunks.scratch)) : scale.chunk,
    );
    let cells = 0;
    this.first = plan.gpus.map(({ chunks }, gpu) => {
      const at = memoryLayout(collective, gpu);
      const base = cells;
      const scratch = base + at.cells;
      const scratchCells = (chunks.scratch * this.scratchChunk[gpu]) / scale.cell;
      cells = scratch + scratchCells * (plan.protocol === 'LL' ? 2 : 1);
      return { input: base + at.input, output: base + at.output, scratch };
    });
    this.cells = cells;
  }

  /** The cell that contains a byte of a buffer. */
  cellAt(gpu: number, buffer: PlanBuffer, byte: Bytes): number {
    return this.first[gpu][buffer] + byte / this.scale.cell;
  }

  /** The first byte of a chunk in its buffer. */
  byteOf(gpu: number, buffer: PlanBuffer, chunk: number): Bytes {
    return chunk * (buffer === 'scratch' ? this.scratchChunk[gpu] : this.scale.chunk);
  }

  /** The range of cells of a gpu: the first one, and the one behind the last. */
  memoryOf(gpu: number): readonly [number, number] {
    const start = (at: number): number => Math.min(this.first[at].input, this.first[at].output);
    return [start(gpu), gpu + 1 < this.first.length ? start(gpu + 1) : this.cells];
  }

  /** The name of a cell in the terms of the file: `gpu 1 scratch[3]`. */
  nameOf(cell: number, { gpu, buffer, packets }: Pick<CellSpan, 'gpu' | 'buffer' | 'packets'>): string {
    const cells = packets ? 2 * this.perChunk : this.perChunk;
    return `gpu ${gpu} ${buffer}[${Math.floor((cell - this.first[gpu][buffer]) / cells)}]`;
  }
}
