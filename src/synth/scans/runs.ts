/**
 * Nested runs of consecutive ranks, and the owner of each run for a chunk: the rank that collects the run's sum and passes on the prefix
 * before it.
 */
import type { Routes } from '../../ir/routes.ts';
import { topologyGroups } from '../levels/groups.ts';
import { alone, joinedSpans, type RankSpan } from './tree-telling.ts';

/** A run with its owner for a chunk, and the range of chunks `from` … `to` − 1 around it with the same owners. */
export interface RankRun {
  readonly part: RankSpan;
  readonly from: number;
  readonly to: number;
}

/** Builds the runs of one chunk; ranks own chunks in proportion to their weights. */
export class Runs {
  private readonly weights: Float64Array;
  private readonly chunks: number;
  private readonly chunk: number;

  constructor(weights: Float64Array, chunks: number, chunk: number) {
    this.weights = weights;
    this.chunks = chunks;
    this.chunk = chunk;
  }

  /** A run whose parts are single ranks. */
  flat(first: number, end: number): RankRun {
    const ranks = Array.from({ length: end - first }, (_, index) => this.single(first + index));
    return ranks.length === 1 ? ranks[0] : this.together(ranks);
  }

  /**
   * A run of two halves, each halved recursively. If it includes the last rank and its size is not a power of two, the owner of the first
   * half owns it.
   */
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

  /** Joins parts to a run. Among the chunks for which all parts stay the same, each part owns a number in proportion to the weights of its ranks. */
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
 * The size of the first half: the largest power of two below `count`, or half of it if the second half would have less than a quarter of
 * that; otherwise a few ranks would get messages from many.
 */
export function halfOf(count: number): number {
  const half = 2 ** (Math.ceil(Math.log2(count)) - 1);
  return 4 * (count - half) < half ? half / 2 : half;
}

/** Ranks of a box. */
export type Box = readonly number[];

/** The boxes of a machine in rank order; undefined if there are none, or if some box is not a run of consecutive ranks. */
export function consecutiveBoxes({ topology }: Routes): readonly Box[] | undefined {
  const { groups } = topologyGroups(topology);
  const areRuns = groups?.every((group) => group.every((rank, index) => rank === group[0] + index));
  return areRuns === true ? groups?.toSorted((a, b) => a[0] - b[0]) : undefined;
}

/**
 * By rank: 1 if it exchanges messages with other boxes without passing another chip, otherwise 0, since it would use the links of such
 * ranks. All ranks of a box without any such rank have 1.
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
