/** How large a machine may be for exact answers. */
import { ranksOf, type Topology } from '../../ir/topology.ts';

/** Frontiers of larger machines would take hours, and nearly all of them be left open. */
const mostRanks = 64;

/** Why a machine is too large, or undefined. */
export function tooLarge(topology: Topology): string | undefined {
  const ranks = ranksOf(topology);
  return ranks <= mostRanks
    ? undefined
    : `exact schedules are for machines of at most ${mostRanks} chips, not ${ranks}`;
}
