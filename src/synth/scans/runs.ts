/** Runs of consecutive ranks, nested: which rank of a run looks after which chunks of its sum and of what comes before it. */
import type { Routes } from '../../ir/routes.ts';
import { groupsOf } from '../levels/groups.ts';
import type { Part } from './tree-telling.ts';

export interface Run {
  /** Its ranks: `first` … `end` − 1. */
  readonly first: number;
  readonly end: number;
  /** In rank order; none in a run of one rank. */
  readonly parts: readonly Run[];
  /** By chunk: the rank that looks after it. */
  readonly owners: Int32Array;
}

/** The run as it is for a chunk. */
export function partOf({ first, end, parts, owners }: Run, chunk: number): Part {
  return { rank: owners[chunk], first, end, parts: parts.map((part) => partOf(part, chunk)) };
}

/** Makes runs for so many chunks, which ranks look after in proportion to their weights. */
export class Runs {
  private readonly weights: Float64Array;
  private readonly chunks: number;

  constructor(weights: Float64Array, chunks: number) {
    this.weights = weights;
    this.chunks = chunks;
  }

  /** Every rank is a part of its own. */
  flat(first: number, end: number): Run {
    const ranks = Array.from({ length: end - first }, (_, index) => this.single(first + index));
    return ranks.length === 1 ? ranks[0] : this.joined(ranks);
  }

  /** Two parts, each made like it; at the end of all ranks looked after by the ranks of the larger part where sizes are odd. */
  halved(first: number, end: number): Run {
    const size = end - first;
    if (size === 1) return this.single(first);
    const middle = first + halfOf(size);
    const parts = [this.halved(first, middle), this.halved(middle, end)];
    if (end < this.weights.length || Number.isInteger(Math.log2(size))) return this.joined(parts);
    const countOf = ({ owners }: Run) => new Set(owners).size;
    const { owners } = countOf(parts[1]) > countOf(parts[0]) ? parts[1] : parts[0];
    return { first, end, parts, owners };
  }

  private single(rank: number): Run {
    return { first: rank, end: rank + 1, parts: [], owners: new Int32Array(this.chunks).fill(rank) };
  }

  /** Of chunks that the same ranks look after in the parts, each part gets as many as the weights of its ranks say. */
  private joined(parts: readonly Run[]): Run {
    const alike = new Map<string, number[]>();
    for (let chunk = 0; chunk < this.chunks; chunk++) {
      const key = parts.map(({ owners }) => owners[chunk]).join(' ');
      alike.set(key, [...(alike.get(key) ?? []), chunk]);
    }
    const shares = parts.map(({ first, end }) =>
      this.weights.subarray(first, end).reduce((sum, weight) => sum + weight),
    );
    const owners = new Int32Array(this.chunks);
    for (const same of alike.values()) {
      const cuts = cutsOf(same.length, shares);
      let part = 0;
      same.forEach((chunk, index) => {
        while (index >= cuts[part]) part++;
        owners[chunk] = parts[part].owners[chunk];
      });
    }
    return { first: parts[0].first, end: parts[parts.length - 1].end, parts, owners };
  }
}

/**
 * The largest power of two below a number, or half of that where little would be left: then a few ranks would get messages from many.
 */
export function halfOf(count: number): number {
  const half = 2 ** (Math.ceil(Math.log2(count)) - 1);
  return 4 * (count - half) < half ? half / 2 : half;
}

/** Where each of some parts of so many things ends, in proportion to shares. */
function cutsOf(count: number, shares: readonly number[]): number[] {
  const whole = shares.reduce((sum, share) => sum + share, 0);
  let sum = 0;
  const cuts = shares.map((share) => {
    sum += share;
    return Math.round((count * sum) / whole);
  });
  cuts[cuts.length - 1] = count;
  return cuts;
}

/** Ranks `first` … `end` − 1. */
export interface Box {
  readonly first: number;
  readonly end: number;
}

/** In rank order; undefined where there are none, or where some box is no run of ranks. */
export function boxesOf({ topology }: Routes): readonly Box[] | undefined {
  const { groups } = groupsOf(topology);
  const isRun = groups?.every((group) => group.every((rank, index) => rank === group[0] + index));
  if (groups === undefined || isRun !== true) return undefined;
  return groups.map((group) => ({ first: group[0], end: group[0] + group.length })).sort((a, b) => a.first - b.first);
}

/**
 * By rank: 1 for those who reach other boxes, and are reached, past no other chip, and 0 for the rest, who would use the links of those. 1 for all of a
 * box in which nobody does.
 */
export function outwards(routes: Routes, boxes: readonly Box[]): Float64Array {
  const ranks = routes.topology.chips.length;
  const weights = new Float64Array(ranks);
  for (const { first, end } of boxes) {
    for (let rank = first; rank < end; rank++) {
      for (let other = 0; other < ranks && weights[rank] === 0; other++) {
        if (other >= first && other < end) continue;
        if (routes.hop(rank, other) !== undefined && routes.hop(other, rank) !== undefined) weights[rank] = 1;
      }
    }
    if (!weights.subarray(first, end).some((weight) => weight > 0)) weights.fill(1, first, end);
  }
  return weights;
}
