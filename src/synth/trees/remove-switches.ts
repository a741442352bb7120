/**
 * A machine without its switches that spreads data just as fast: at each switch, edges u → w and w → t are replaced by
 * u → t, as much as no cut becomes too tight for (directed edge splitting: Mader 1982, Frank 1989; for trees Zhao et al.,
 * "ForestColl", 2024). Where a switch has as much capacity in as out, all of it can be replaced.
 */
import type { ShouldStop } from '../../ir/effort.ts';
import type { CapacityGraph } from './capacities.ts';
import type { TreeProblem } from './scale.ts';
import { Splitting } from './splitting.ts';

/**
 * @param distance between nodes, as in `MachineGraph`: ways without detours are preferred, since messages take them
 * @param careful whether switches keep their balance; if not, there are fewer detours, but what is left may be too little
 */
export function removeSwitches(
  problem: TreeProblem,
  distance: Float64Array,
  careful: boolean,
  shouldStop?: ShouldStop,
): TreeProblem {
  const { nodes, chips } = problem.graph;
  const capacity = problem.graph.capacity.slice();
  for (let middle = nodes - 1; middle >= chips; middle--) {
    new Splitting({ ...problem, graph: { nodes, chips, capacity } }, middle, shouldStop).run(distance, careful);
  }
  return { ...problem, graph: chipsOnly({ nodes, chips, capacity }) };
}

function chipsOnly({ nodes, chips, capacity }: CapacityGraph): CapacityGraph {
  const kept = new Float64Array(chips * chips);
  for (let from = 0; from < chips; from++) {
    for (let to = 0; to < chips; to++) kept[from * chips + to] = capacity[from * nodes + to];
  }
  return { nodes: chips, chips, capacity: kept };
}
