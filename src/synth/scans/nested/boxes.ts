/** Boxes whose ranks follow each other, and who in a box talks to the others. */
import type { Routes } from '../../../ir/routes.ts';
import { groupsOf } from '../../levels/groups.ts';

/** Ranks `first` … `end` − 1. */
export interface Box {
  readonly first: number;
  readonly end: number;
}

/** In rank order; undefined where there are none, or where some box is no run of ranks. */
export function boxesOf({ topology }: Routes): readonly Box[] | undefined {
  const { groups } = groupsOf(topology);
  if (groups === undefined) return undefined;
  const isRun = groups.every((group) => group.every((rank, index) => rank === group[0] + index));
  if (!isRun) return undefined;
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
