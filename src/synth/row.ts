/** Ranks in a row, such that neighbours in it are near each other on the machine. */

/** How far it is from one rank to another, in whatever unit. */
export type RankDistance = (from: number, to: number) => number;

/**
 * Begins at one end of the machine and goes on to the nearest rank that is left: along a line of routers from end to end, round a ring, from leaf to leaf
 * of a tree of switches.
 *
 * @returns the ranks in the order in which they stand
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

/** The row with its root in the middle, if it is a ring: one that ends as near to where it began as its neighbours are. */
export function centred(row: readonly number[], root: number, apart: RankDistance): readonly number[] {
  const longest = row.slice(1).reduce((most, rank, at) => Math.max(most, apart(row[at], rank)), 0);
  if (apart(row[row.length - 1], row[0]) > longest) return row;
  const first = (row.indexOf(root) + Math.ceil(row.length / 2)) % row.length;
  return [...row.slice(first), ...row.slice(0, first)];
}

/** A ring of ranks in a row: to and fro, each next to one that is two places further on, and nobody next to one that is farther away. */
export function foldedRing(row: readonly number[]): number[] {
  const there = row.filter((_, at) => at % 2 === 0);
  const back = row.filter((_, at) => at % 2 === 1);
  return [...there, ...back.reverse()];
}
