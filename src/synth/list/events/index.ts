/** The strategy `events`: continuous time, for machines whose links, ports and switches do not work in lock step. */
import { joinsMorePairs } from '../../arcs.ts';
import type { Strategy } from '../problem.ts';
import { isMixed, unitLinksOf } from '../rounds/unit-links.ts';
import { spreadOf } from '../spread.ts';
import { leastTime } from './least-time.ts';
import { fastestEvents, partsFor } from './search.ts';

/** Ways × ranks of a machine that is not too large. */
const mostWork = 1 << 21;
/** Pairs of chips × ranks of a machine whose ways can be looked for in a moment: some pairs have none of their own. */
const mostPairWork = 4 * mostWork;

export const events: Strategy = {
  name: 'events',
  unfit(problem) {
    const { topology, ranks, ways, effort } = problem;
    const inUnits = unitLinksOf(topology);
    if (effort === 'quick' && 'links' in inUnits && !isMixed(inUnits.links))
      return 'all links are alike, so that rounds do nearly as well';
    if (joinsMorePairs(topology, mostPairWork / ranks) || ways().from.length * ranks > mostWork) {
      return 'continuous time takes too long on so large a machine';
    }
    return undefined;
  },
  leastLatency: (problem) => leastTime(problem.ways(), spreadOf(problem, 1), 0),
  itemsPerShard: partsFor,
  search(spread, problem) {
    const moves = fastestEvents(spread, problem);
    if (moves === undefined) throw new Error(`events: not every rank of ${problem.topology.name} can be reached`);
    return moves;
  },
};
