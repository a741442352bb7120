/** The rows of an in-tree grouped into messages by step and generator, and into slices of adjacent chunks. */
import type { InTree } from '../../ir/compact.ts';

export class TreeRows {
  readonly tree: InTree;
  readonly chunks: number;
  private readonly generators: number;

  /** @param chunks per shard */
  constructor(tree: InTree, generators: number, chunks: number) {
    this.tree = tree;
    this.generators = generators;
    this.chunks = chunks;
  }

  /** The range of rows of a message: the first row, and the one after the last. */
  message(step: number, generator: number): readonly [first: number, end: number] {
    const cell = step * this.generators + generator;
    return [this.tree.firstRow[cell], this.tree.firstRow[cell + 1]];
  }

  /** The slot of a row's shard and chunk, under a translation of shards. */
  slot(row: number, translate: (shard: number) => number): number {
    return translate(this.tree.shard[row]) * this.chunks + this.tree.chunk[row];
  }

  /** The slot of each row as named from the view of the rank that the translation of its generator leads to. */
  slotsAcross(translations: readonly ((shard: number) => number)[]): Int32Array {
    const slots = new Int32Array(this.tree.shard.length);
    for (let cell = 0; cell + 1 < this.tree.firstRow.length; cell++) {
      const translate = translations[cell % this.generators];
      for (let row = this.tree.firstRow[cell]; row < this.tree.firstRow[cell + 1]; row++) {
        slots[row] = this.slot(row, translate);
      }
    }
    return slots;
  }

  /** The end of the rows that form one slice with a row: adjacent chunks of one shard. */
  sliceEnd(row: number, end: number): number {
    const { shard, chunk } = this.tree;
    let next = row + 1;
    while (next < end && shard[next] === shard[row] && chunk[next] === chunk[next - 1] + 1) next++;
    return next;
  }

  /** Rows of the largest message of a generator, separately for messages that are one slice and those that are not. */
  largest(generator: number): { readonly single: number; readonly several: number } {
    let [single, several] = [0, 0];
    for (let step = 0; step < this.tree.stepCount; step++) {
      const [first, end] = this.message(step, generator);
      if (first === end) continue;
      if (this.sliceEnd(first, end) === end) single = Math.max(single, end - first);
      else several = Math.max(several, end - first);
    }
    return { single, several };
  }
}
