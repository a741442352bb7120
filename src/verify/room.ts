/** Whether values fit where they are put: where shards have sizes of their own, a slot has room for a chunk of its own shard. */

import type { CellMemory } from '../ir/cell-memory.ts';
import { type Collective, inputChunks, outputChunks, shardOf } from '../ir/collective.ts';
import type { CombinationTable } from './values.ts';

/** Sizes are those of shards, in bytes; all have as many chunks. Slots of scratch have room for any. */
export class Room {
  private readonly values: CombinationTable;
  private readonly collective: Collective;
  private readonly counts: readonly number[];
  /** Size of the shard that each cell has room for a chunk of. */
  private readonly ofCell: Float64Array;

  constructor(collective: Collective, counts: readonly number[], memory: CellMemory, values: CombinationTable) {
    this.collective = collective;
    this.counts = counts;
    this.values = values;
    this.ofCell = new Float64Array(memory.firstCell[collective.ranks]).fill(Number.POSITIVE_INFINITY);
    for (let rank = 0; rank < collective.ranks; rank++) {
      const inputs = inputChunks(collective, rank);
      for (let slot = 0; slot < inputs; slot++) {
        this.ofCell[memory.input[rank] + slot] = counts[shardOf(collective, 'input', rank, slot)];
      }
      const outputs = outputChunks(collective, rank);
      for (let slot = 0; slot < outputs; slot++) {
        this.ofCell[memory.output[rank] + slot] = counts[shardOf(collective, 'output', rank, slot)];
      }
    }
  }

  /** What a cell holds after a value has been put there. */
  kept(cell: number, value: number): number {
    return value === -1 || this.sizeOf(value) <= this.ofCell[cell] ? value : this.values.cutOff;
  }

  /** Of a reduction the size of its first operand: one of chunks of different sizes is nothing that anybody asks for. */
  private sizeOf(value: number): number {
    const leaf = this.values.firstOf(value);
    if (leaf >= this.values.unknown) return 0;
    const { rank, chunk } = this.values.contribution(leaf);
    return this.counts[shardOf(this.collective, 'input', rank, chunk)];
  }
}
