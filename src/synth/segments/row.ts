/** Ranks in a row, such that neighbours in it are near each other on the machine. */
import type { MessageTimes } from './times.ts';

/**
 * Begins at one end of the machine and goes on to the nearest rank that is left: along a line of routers from end to end, round a ring, from leaf to leaf
 * of a tree of switches. A row that ends next to where it began is a ring, and cut where the root comes to stand in its middle.
 *
 * @param root undefined where any rank may be one
 * @returns the ranks in the order in which they stand
 */
export function rowOf(times: MessageTimes, root: number | undefined): number[] {
  const { ranks } = times;
  const apart = (a: number, b: number): number => times.arrival[a * ranks + b];
  const row = [farthestFrom(0, ranks, apart)];
  const left = new Set(Array.from({ length: ranks }, (_, rank) => rank));
  left.delete(row[0]);
  let longest = 0;
  while (left.size > 0) {
    const last = row[row.length - 1];
    let nearest = -1;
    for (const rank of left) if (nearest < 0 || apart(last, rank) < apart(last, nearest)) nearest = rank;
    longest = Math.max(longest, apart(last, nearest));
    left.delete(nearest);
    row.push(nearest);
  }
  if (root === undefined || apart(row[ranks - 1], row[0]) > longest) return row;
  const first = (row.indexOf(root) + Math.ceil(ranks / 2)) % ranks;
  return [...row.slice(first), ...row.slice(0, first)];
}

function farthestFrom(rank: number, ranks: number, apart: (a: number, b: number) => number): number {
  let farthest = rank;
  for (let other = 0; other < ranks; other++) if (apart(rank, other) > apart(rank, farthest)) farthest = other;
  return farthest;
}
