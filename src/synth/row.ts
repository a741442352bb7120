/** Ranks in a row, such that neighbours in it are near each other on the machine. */

/** How far it is from one rank to another, in whatever unit. */
export type Apart = (from: number, to: number) => number;

/**
 * Begins at one end of the machine and goes on to the nearest rank that is left: along a line of routers from end to end, round a ring, from leaf to leaf
 * of a tree of switches.
 *
 * @returns the ranks in the order in which they stand
 */
export function rowOf(ranks: number, apart: Apart): number[] {
  const row = [farthestFrom(0, ranks, apart)];
  const left = new Set(Array.from({ length: ranks }, (_, rank) => rank));
  left.delete(row[0]);
  while (left.size > 0) {
    const last = row[row.length - 1];
    let nearest = -1;
    for (const rank of left) if (nearest < 0 || apart(last, rank) < apart(last, nearest)) nearest = rank;
    left.delete(nearest);
    row.push(nearest);
  }
  return row;
}

/** The row with its root in the middle, if it is a ring: one that ends as near to where it began as its neighbours are. */
export function centred(row: readonly number[], root: number, apart: Apart): readonly number[] {
  if (!isRing(row, apart)) return row;
  const ranks = row.length;
  const first = (row.indexOf(root) + Math.ceil(ranks / 2)) % ranks;
  return [...row.slice(first), ...row.slice(0, first)];
}

function isRing(row: readonly number[], apart: Apart): boolean {
  const longest = row.slice(1).reduce((most, rank, at) => Math.max(most, apart(row[at], rank)), 0);
  return apart(row[row.length - 1], row[0]) <= longest;
}

/** A ring of ranks in a row: to and fro, each next to one that is two places further on, and nobody next to one that is farther away. */
export function folded(row: readonly number[]): number[] {
  const there = row.filter((_, at) => at % 2 === 0);
  const back = row.filter((_, at) => at % 2 === 1);
  return [...there, ...back.reverse()];
}

function farthestFrom(rank: number, ranks: number, apart: Apart): number {
  let farthest = rank;
  for (let other = 0; other < ranks; other++) if (apart(rank, other) > apart(rank, farthest)) farthest = other;
  return farthest;
}
