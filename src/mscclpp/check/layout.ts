/**
 * A plan at one size of message: where every chunk, share and piece of a pipeline lies, in cells of memory. A cell is the
 * largest piece that no operation divides, so that what holds for each cell holds for each byte. Packets take two cells
 * of scratch where plain data take one.
 */
import { type Collective, memoryLayout } from '../../ir/collective.ts';
import type { PlanBuffer } from '../../ir/plan.ts';
import type { Bytes } from '../../ir/units.ts';
import type { ExecutionOperation, ExecutionPlan } from '../execution-plan.ts';

/** A size to judge a plan at. */
export interface JudgedSize {
  /** Bytes of a chunk. */
  readonly chunk: Bytes;
  /** Bytes of a cell. */
  readonly cell: Bytes;
}

/** A row of cells that an operation reads or writes; element e of packets is two cells, from `first + 2e` on. */
export interface CellSpan {
  readonly first: number;
  readonly packets: boolean;
  /** The reader waits for the flags of packets. */
  readonly waits: boolean;
  /** The gpu that the memory is in. */
  readonly gpu: number;
  readonly buffer: PlanBuffer;
}

/** Where a block's part of some chunks begins, and its bytes: parts are as even as whole units of alignment can be. */
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

/** Bytes of scratch that the runtime keeps for plans that reuse resources. */
const reusedScratch: Bytes = 2 ** 26;

/** What a chunk of scratch may take there. */
export function pieceOfScratch({ doubleScratch, alignment }: ExecutionPlan, chunks: number): Bytes {
  if (chunks === 0) return 0;
  const piece = Math.ceil((doubleScratch ? reusedScratch / 2 : reusedScratch) / chunks);
  return Math.ceil(piece / alignment) * alignment;
}

/** Cells of all gpus in a row: per gpu input and output (one memory where they are in place), then scratch. */
export class CellLayout {
  readonly plan: ExecutionPlan;
  readonly scale: JudgedSize;
  readonly cells: number;
  /** First cell of each buffer of each gpu. */
  private readonly first: readonly Readonly<Record<PlanBuffer, number>>[];
  private readonly perChunk: number;
  /** Bytes from one chunk of scratch to the next, per gpu. */
  private readonly scratchChunk: readonly Bytes[];

  /** @param collective in cells: its chunks are cells */
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

  /** The cell at a byte of a buffer. */
  cellAt(gpu: number, buffer: PlanBuffer, byte: Bytes): number {
    return this.first[gpu][buffer] + byte / this.scale.cell;
  }

  /** The byte of a buffer at which a chunk begins. */
  byteOf(gpu: number, buffer: PlanBuffer, chunk: number): Bytes {
    return chunk * (buffer === 'scratch' ? this.scratchChunk[gpu] : this.scale.chunk);
  }

  /** All cells of a gpu: first and behind the last. */
  memoryOf(gpu: number): readonly [number, number] {
    const start = (at: number): number => Math.min(this.first[at].input, this.first[at].output);
    return [start(gpu), gpu + 1 < this.first.length ? start(gpu + 1) : this.cells];
  }

  /** A cell in the words of the file: `gpu 1 scratch[3]`. */
  nameOf(cell: number, { gpu, buffer, packets }: Pick<CellSpan, 'gpu' | 'buffer' | 'packets'>): string {
    const cells = packets ? 2 * this.perChunk : this.perChunk;
    return `gpu ${gpu} ${buffer}[${Math.floor((cell - this.first[gpu][buffer]) / cells)}]`;
  }
}
