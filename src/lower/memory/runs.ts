/** Runs of memory cells, in the order in which a message visits them. */

/** Contiguous cells of a rank's memory (see `Homes` for how cells are numbered). */
export interface CellRun {
  readonly first: number;
  readonly count: number;
}

/** A copy of contiguous cells to contiguous cells. */
export interface CellMove {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** Splits a transfer between two lists of runs, of equal total length, into moves that lie within one run on either side. */
export function alignRuns(from: readonly CellRun[], to: readonly CellRun[]): CellMove[] {
  const moves: CellMove[] = [];
  let [source, sourceDone, target, targetDone] = [0, 0, 0, 0];
  while (source < from.length && target < to.length) {
    const count = Math.min(from[source].count - sourceDone, to[target].count - targetDone);
    moves.push({ from: from[source].first + sourceDone, to: to[target].first + targetDone, count });
    sourceDone += count;
    targetDone += count;
    if (sourceDone === from[source].count) [source, sourceDone] = [source + 1, 0];
    if (targetDone === to[target].count) [target, targetDone] = [target + 1, 0];
  }
  return moves;
}
