/**
 * The grids engine: allgathers, reducescatters and allreduces of large meshes and tori along one axis after the other, which have few messages: about as
 * many for each rank as the axes have places together, where other schedules have one for each other rank. The parts of an allreduce take the axes in different
 * orders, so that all axes are busy (Sack and Gropp, "Collective algorithms for multiported torus networks", ACM Trans. Parallel Computing 1(2), 2015).
 * The shards of the others lie in the order of the ranks, and those of a line next to each other only along the last axes: one part has to do.
 */
import { type CollectiveKind, keepsRankOrder, messageChunks } from '../../ir/collective.ts';
import { type GridAxis, GridRoutes } from '../../ir/grid-routes.ts';
import type { PlanOrigin } from '../../ir/plan.ts';
import { type Candidate, dismissed, type Engine, type Problem, type Proposal } from '../engine.ts';
import { axisByAxis, type Doing, type Part } from './axis-by-axis.ts';
import { allreduceOrders, beyondLimits, blocksOf, type Order } from './owners.ts';

export const grids: Engine = {
  name: 'grids',
  about: 'allgathers, reducescatters and allreduces of large meshes and tori, along one axis after the other',
  propose,
};

/** On fewer ranks others find schedules that use all links. */
const fewRanks = 256;

/** Blocks take less than a part in so many longer than no bytes at all: shorter ones are not worth their messages. */
const latencyShare = 8;

function* propose(problem: Problem): Iterable<Proposal> {
  const { collective, routes, chunks, algorithm, limits, byName } = problem;
  const doing = doingOf(collective.kind);
  if (doing === undefined || algorithm !== undefined) return;
  if (collective.ranks <= fewRanks && byName !== true) return;
  if (keepsRankOrder(collective)) return yield dismissed(grids.name, 'needs an operator that commutes');
  const axes = GridRoutes.of(routes.topology)?.axes();
  if (axes === undefined) return yield dismissed(grids.name, 'its links are not those of a grid of chips');
  const orders = doing === 'both' ? ordersFor(problem, axes) : [axes.map((axis) => ({ axis, owners: axis.extent }))];
  const blocks = orders.reduce((sum, order) => sum + blocksOf(order), 0);
  const unit = doing === 'both' ? blocks : 1;
  if (chunks !== undefined && chunks % unit !== 0) {
    return yield dismissed(grids.name, `needs a multiple of ${unit} chunks, not ${chunks}`);
  }
  const least = { ...collective, chunks: chunks ?? unit };
  const tooMuch = beyondLimits(least, orders, doing, limits);
  if (tooMuch !== undefined) return yield dismissed(grids.name, tooMuch);
  const build: Candidate['build'] = (multiple) => {
    const made = { ...least, chunks: least.chunks * multiple };
    return axisByAxis(made, partsOf(orders, messageChunks(made) / blocks), doing);
  };
  const origin: PlanOrigin = { engine: grids.name, schedule: 'axis by axis' };
  yield { kind: 'candidate', candidate: { name: 'grids (axis by axis)', origin, build } };
}

function doingOf(kind: CollectiveKind): Doing | undefined {
  if (kind === 'reducescatter') return 'scatter';
  if (kind === 'allgather') return 'spread';
  return kind === 'allreduce' ? 'both' : undefined;
}

function ordersFor({ collective, routes, size, limits }: Problem, axes: readonly GridAxis[]): readonly Order[] {
  const [{ latency, bandwidth }] = routes.topology.links;
  return allreduceOrders(collective, axes, { size, limits, leastBlock: (latency * bandwidth) / latencyShare });
}

/** One after the other, each of so many chunks to a block. */
function partsOf(orders: readonly Order[], chunks: number): readonly Part[] {
  let from = 0;
  return orders.map((levels) => {
    const part = { from, count: chunks * blocksOf(levels), levels };
    from += part.count;
    return part;
  });
}
