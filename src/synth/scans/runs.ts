/** Runs of consecutive ranks, nested: which rank of a run looks after a chunk of its sum and of what comes before it. */
import type { Routes } from '../../ir/routes.ts';
import { topologyGroups } from '../levels/groups.ts';
import { alone, joinedSpans, type RankSpan } from './tree-telling.ts';

/** A run as it is for a chunk, and the chunks `from` … `to` − 1 around it for which it is the same. */
export interface RankRun {
  readonly part: RankSpan;
  readonly from: number;
  readonly to: number;
}

/** Makes runs for one of so many chunks, which ranks look after in proportion to their weights. */
export class Runs {
  private readonly weights: Float64Array;
  private readonly chunks: number;
  private readonly chunk: number;

  constructor(weights: Float64Array, chunks: number, chunk: number) {
    this.weights = weights;
    this.chunks = chunks;
    this.chunk = chunk;
  }

  /** Every rank is a part of its own. */
  flat(first: number, end: number): RankRun {
    const ranks = Array.from({ length: end - first }, (_, index) => this.single(first + index));
    return ranks.length === 1 ? ranks[0] : this.together(ranks);
  }

  /** Two parts, each made like it; at the end of all ranks looked after by the ranks of the first where sizes are odd: no more would look after the other. */
  halved(first: number, end: number): RankRun {
    const size = end - first;
    if (size === 1) return this.single(first);
    const middle = first + halfOf(size);
    const run = this.together([this.halved(first, middle), this.halved(middle, end)]);
    if (end < this.weights.length || Number.isInteger(Math.log2(size))) return run;
    return { ...run, part: { ...run.part, rank: run.part.parts[0].rank } };
  }

  private single(rank: number): RankRun {
    return { part: alone(rank), from: 0, to: this.chunks };
  }

  /** Of the chunks for which all parts are the same, each part looks after as many as the weights of its ranks say. */
  private together(runs: readonly RankRun[]): RankRun {
    const parts = runs.map(({ part }) => part);
    const { first } = parts[0];
    const { end } = parts[parts.length - 1];
    const low = Math.max(...runs.map((run) => run.from));
    const count = Math.min(...runs.map((run) => run.to)) - low;
    const cutAt = (rank: number) => low + Math.round((count * this.weightOf(first, rank)) / this.weightOf(first, end));
    const owner = parts.find((part) => this.chunk < cutAt(part.end)) ?? parts[parts.length - 1];
    return { part: joinedSpans(parts, owner.rank), from: cutAt(owner.first), to: cutAt(owner.end) };
  }

  private weightOf(first: number, end: number): number {
    return this.weights.subarray(first, end).reduce((sum, weight) => sum + weight, 0);
  }
}

/**
 * The largest power of two below a number, or half of that where little would be left: then a few ranks would get messages from many.
 */
export function halfOf(count: number): number {
  const half = 2 ** (Math.ceil(Math.log2(count)) - 1);
  return 4 * (count - half) < half ? half / 2 : half;
}

/** Ranks of a box. */
export type Box = readonly number[];

/** In rank order; undefined where there are none, or where some box is no run of ranks. */
export function consecutiveBoxes({ topology }: Routes): readonly Box[] | undefined {
  const { groups } = topologyGroups(topology);
  const areRuns = groups?.every((group) => group.every((rank, index) => rank === group[0] + index));
  return areRuns === true ? groups?.toSorted((a, b) => a[0] - b[0]) : undefined;
}

/**
 * By rank: 1 for those who reach other boxes, and are reached, past no other chip, and 0 for the rest, who would use the links of those. 1 for all of a
 * box in which nobody does.
 */
export function outwards(routes: Routes, boxes: readonly Box[]): Float64Array {
  const weights = new Float64Array(routes.topology.chips.length);
  for (const box of boxes) {
    const others = boxes.flatMap((other) => (other === box ? [] : other));
    const reaches = (rank: number) =>
      others.some((other) => routes.hop(rank, other) !== undefined && routes.hop(other, rank) !== undefined);
    const outer = box.filter(reaches);
    for (const rank of outer.length > 0 ? outer : box) weights[rank] = 1;
  }
  return weights;
}
