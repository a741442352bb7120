/** Orders ranks in a row whose neighbours are near each other on the machine. */

/** Distance from one rank to another, in any unit. */
export type RankDistance = (from: number, to: number) => number;

/**
 * Nearest-neighbour heuristic: starts at one end of the machine and continues with the nearest rank left. This follows
 * a line of routers from end to end, a ring around, a tree of switches leaf by leaf.
 * @returns the ranks in order
 */
export function rowOf(ranks: number, apart: RankDistance): number[] {
  const all = Array.from({ length: ranks }, (_, rank) => rank);
  const row = [all.reduce((a, b) => (apart(0, b) > apart(0, a) ? b : a))];
  const left = new Set(all.filter((rank) => rank !== row[0]));
  while (left.size > 0) {
    const last = row[row.length - 1];
    const next = [...left].reduce((a, b) => (apart(last, b) < apart(last, a) ? b : a));
    left.delete(next);
    row.push(next);
  }
  return row;
}

/**
 * The row rotated so that the root is in the middle, if the row is a ring: its last rank is as near to its first as
 * neighbours are.
 */
export function centred(row: readonly number[], root: number, apart: RankDistance): readonly number[] {
  const longest = row.slice(1).reduce((most, rank, at) => Math.max(most, apart(row[at], rank)), 0);
  if (apart(row[row.length - 1], row[0]) > longest) return row;
  const first = (row.indexOf(root) + Math.ceil(row.length / 2)) % row.length;
  return [...row.slice(first), ...row.slice(0, first)];
}

/**
 * A ring over the ranks of a row, folded: each rank is next to one two places further on, and no neighbours are farther
 * apart.
 */
export function foldedRing(row: readonly number[]): number[] {
  const there = row.filter((_, at) => at % 2 === 0);
  const back = row.filter((_, at) => at % 2 === 1);
  return [...there, ...back.reverse()];
}
