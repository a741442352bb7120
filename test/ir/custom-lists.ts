/** Conditions of custom collectives written out. */
import type { Contribution } from '../../src/ir/collective.ts';
import { type CustomResults, contributionsIn, ranksWithResults, runsOfRank } from '../../src/ir/custom-results.ts';

/** `lists[rank][slot]`, as plans say it. */
export function listsOf(results: CustomResults): (readonly Contribution[] | null)[][] {
  return Array.from({ length: ranksWithResults(results) }, (_, rank) =>
    [...runsOfRank(results, rank)].flatMap((run) =>
      Array.from({ length: run.count }, (_, i) => contributionsIn(run, i)),
    ),
  );
}
