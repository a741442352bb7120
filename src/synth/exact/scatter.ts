/**
 * Scatter as a flow: one source, chunks that need no names until they arrive, so a flow through the machine unrolled in time (Ford
 * and Fulkerson 1958) decides for a given split of the rounds, and is whole of its own accord.
 */
import { FlowNetwork, unlimited } from '../../cost/index.ts';
import { type Answer, type Instance, shapeName } from './instance.ts';
import { unitsOfWay } from './machine.ts';
import { namedMoves } from './named-units.ts';
import { splitCount, splitsOf } from './splits.ts';

/** Decides a scatter on a machine whose ways share no links, by trying all splits, or as many as are listed. */
export function answerScatter(instance: Instance, seed: number, shouldStop: () => boolean): Answer {
  const { machine, root, chunks, steps, rounds } = instance;
  const network = new FlowNetwork(machine.ranks * (steps + 1) + 1);
  const node = (rank: number, step: number): number => rank * (steps + 1) + step;
  const sink = machine.ranks * (steps + 1);
  const arcs = machine.ways.map(({ from, to }) =>
    Array.from({ length: steps }, (_, step) => network.add(node(from, step), node(to, step + 1), 0)),
  );
  for (let rank = 0; rank < machine.ranks; rank++) {
    for (let step = 0; step < steps; step++) network.add(node(rank, step), node(rank, step + 1), unlimited);
    if (rank !== root) network.add(node(rank, steps), sink, chunks);
  }
  const wanted = (machine.ranks - 1) * chunks;
  const splits = splitsOf(steps, rounds, seed);
  for (const split of splits) {
    if (shouldStop()) return { status: 'unknown', reason: `scatter ${shapeName(instance)}: the time was up` };
    machine.ways.forEach((way, w) => {
      arcs[w].forEach((arc, step) => {
        network.setCapacity(arc, unitsOfWay(machine, way) * split[step]);
      });
    });
    if (network.maxFlow(node(root, 0), sink) < wanted) continue;
    const moves = namedMoves(instance, [root], (_, way, step) => network.flow(arcs[way][step]), split);
    return { status: 'feasible', solution: moves, method: 'flow' };
  }
  if (splits.length < splitCount(steps, rounds)) {
    return {
      status: 'unknown',
      reason: `scatter ${shapeName(instance)}: no flow for ${splits.length} splits of its rounds`,
    };
  }
  const what = `none of the ${splits.length} ways to split the rounds`;
  return { status: 'infeasible', proof: `maximum flows: ${what} lets ${wanted} chunks through` };
}
