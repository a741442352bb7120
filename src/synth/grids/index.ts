/**
 * The grids engine: allgathers, reducescatters and allreduces of large meshes and tori along one axis after the other, which have few messages: about as
 * many for each rank as the axes have places together, where other schedules have one for each other rank. The parts of an allreduce take the axes in different
 * orders, so that all axes are busy (Sack and Gropp, "Collective algorithms for multiported torus networks", ACM Trans. Parallel Computing 1(2), 2015).
 * The shards of the others lie in the order of the ranks, and those of a line next to each other only along the last axes: one part has to do.
 */
import { type Collective, type CollectiveKind, keepsRankOrder, messageChunks } from '../../ir/collective.ts';
import { type GridAxis, GridRoutes } from '../../ir/grid-routes.ts';
import type { Limits } from '../../ir/limits.ts';
import type { PlanOrigin } from '../../ir/plan.ts';
import { type Candidate, dismissed, type Engine, type Problem, type Proposal } from '../engine.ts';
import { axisByAxis, type Doing } from './axis-by-axis.ts';

export const grids: Engine = {
  name: 'grids',
  about: 'allgathers, reducescatters and allreduces of large meshes and tori, along one axis after the other',
  propose,
};

/** On fewer ranks others find schedules that use all links. */
const fewRanks = 256;

function* propose({ collective, routes, chunks, algorithm, limits, byName }: Problem): Iterable<Proposal> {
  const { kind, ranks } = collective;
  const doing = doingOf(kind);
  if (doing === undefined || algorithm !== undefined) return;
  if (ranks <= fewRanks && byName !== true) return;
  if (keepsRankOrder(collective)) return yield dismissed(grids.name, 'needs an operator that commutes');
  const axes = GridRoutes.of(routes.topology)?.axes();
  if (axes === undefined) return yield dismissed(grids.name, 'its links are not those of a grid of chips');
  const orders = doing === 'both' ? axes.map((_, first) => [...axes.slice(first), ...axes.slice(0, first)]) : [axes];
  const unit = doing === 'both' ? orders.length * ranks : 1;
  if (chunks !== undefined && chunks % unit !== 0) {
    return yield dismissed(grids.name, `needs a multiple of ${unit} chunks, not ${chunks}`);
  }
  const least = { ...collective, chunks: chunks ?? unit };
  const tooMuch = beyond(least, axes, doing, limits);
  if (tooMuch !== undefined) return yield dismissed(grids.name, tooMuch);
  const build: Candidate['build'] = (multiple) => {
    const made = { ...least, chunks: least.chunks * multiple };
    const count = messageChunks(made) / orders.length;
    const parts = orders.map((order, part) => ({ from: part * count, count, axes: order }));
    return axisByAxis(made, parts, doing);
  };
  const origin: PlanOrigin = { engine: grids.name, schedule: 'axis by axis' };
  yield { kind: 'candidate', candidate: { name: 'grids (axis by axis)', origin, build } };
}

function doingOf(kind: CollectiveKind): Doing | undefined {
  if (kind === 'reducescatter') return 'scatter';
  if (kind === 'allgather') return 'spread';
  return kind === 'allreduce' ? 'both' : undefined;
}

/** What of the plan is beyond its limit: what is not even worth making is told from its numbers. */
function beyond(collective: Collective, axes: readonly GridAxis[], doing: Doing, limits: Limits): string | undefined {
  const { ranks } = collective;
  const times = doing === 'both' ? 2 : 1;
  const parts = doing === 'both' ? axes.length : 1;
  // A message is sent and received.
  const operations = 2 * times * parts * ranks * axes.reduce((sum, { extent }) => sum + extent - 1, 0);
  if (operations > limits.operations)
    return `${operations} operations are more than the limit operations = ${limits.operations}`;
  const slots = 2 * times * messageChunks(collective) * (ranks - 1);
  if (slots > limits.slots) return `messages of ${slots} chunks in all are more than the limit slots = ${limits.slots}`;
  return undefined;
}
