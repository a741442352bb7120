/**
 * Checks that values fit where they are stored. If shards have sizes of their own, an input or output slot has room for a chunk of its own shard
 * only.
 */

import type { CellMemory } from '../ir/cell-memory.ts';
import { type Collective, inputChunks, outputChunks, shardOf } from '../ir/collective.ts';
import type { CombinationTable } from './values.ts';

/**
 * Sizes are those of whole shards, in bytes; all shards have the same number of chunks, so comparing shards compares chunks. Slots of scratch have
 * room for any chunk.
 */
export class Room {
  private readonly values: CombinationTable;
  private readonly collective: Collective;
  private readonly counts: readonly number[];
  /** By cell: the size of the shard for a chunk of which the cell has room. */
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

  /** Returns what a cell holds after a value has been stored in it: the value, or `cutOff` if it does not fit. */
  kept(cell: number, value: number): number {
    return value === -1 || this.sizeOf(value) <= this.ofCell[cell] ? value : this.values.cutOff;
  }

  /** Returns the size of a value. A reduction has the size of its first operand; no collective asks for a reduction of chunks of different sizes. */
  private sizeOf(value: number): number {
    const leaf = this.values.firstOf(value);
    if (leaf >= this.values.unknown) return 0;
    const { rank, chunk } = this.values.contribution(leaf);
    return this.counts[shardOf(this.collective, 'input', rank, chunk)];
  }
}
