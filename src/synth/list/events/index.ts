/** The strategies `events` and `together`: continuous time, for machines whose links, ports and switches do not work in lock step. */
import type { Seconds } from '../../../ir/units.ts';
import { joinsMorePairs } from '../../arcs.ts';
import { limits } from '../limits.ts';
import type { SpreadProblem, Strategy } from '../problem.ts';
import { isMixed, unitLinksOf } from '../rounds/unit-links.ts';
import { spreadOf } from '../spread.ts';
import { leastTime } from './least-time.ts';
import { fastestEvents, partsFor } from './search.ts';
import { fastestTogether, partsTogether, unfitForTogether } from './unlike.ts';

/** Pairs of chips × ranks of a machine whose ways can be looked for in a moment: some pairs have none of their own. */
const mostPairWork = 4 * limits.deliveries;

export const events: Strategy = {
  name: 'events',
  unfit(problem) {
    const { topology, effort } = problem;
    const inUnits = unitLinksOf(topology);
    if (effort === 'quick' && 'links' in inUnits && !isMixed(inUnits.links))
      return 'all links are alike, so that rounds do nearly as well';
    return tooLarge(problem);
  },
  leastLatency,
  itemsPerShard: partsFor,
  search(spread, problem) {
    const moves = fastestEvents(spread, problem);
    if (moves === undefined) throw new Error(`events: not every rank of ${problem.topology.name} can be reached`);
    return moves;
  },
};

export const together: Strategy = {
  name: 'together',
  unfit: (problem) => tooLarge(problem) ?? unfitForTogether(problem),
  leastLatency,
  itemsPerShard: () => partsTogether,
  search(spread, problem) {
    const moves = fastestTogether(spread, problem);
    if (moves === undefined) throw new Error(`together: not every rank of ${problem.topology.name} can be reached`);
    return moves;
  },
};

function tooLarge({ topology, ranks, ways }: SpreadProblem): string | undefined {
  return joinsMorePairs(topology, mostPairWork / ranks) || ways().from.length * ranks > limits.deliveries
    ? 'continuous time takes too long on so large a machine'
    : undefined;
}

function leastLatency(problem: SpreadProblem): Seconds {
  return leastTime(problem.ways(), spreadOf(problem, 1), 0);
}
