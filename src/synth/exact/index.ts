/**
 * The exact engine: schedules with the minimum number of steps and rounds (k-synchronous schedules of SCCL, Cai et al.,
 * PPoPP 2021), by integer programming and randomised construction. Given C, S and R (`--chunks`, `--set steps=`, `--set
 * rounds=`) it finds a schedule or reports why there is none; otherwise it walks the Pareto frontier. Exponential in
 * the worst case; runs only if selected by name.
 */
import { type CollectiveKind, collectiveFacts, combinesInRankOrder } from '../../ir/collective.ts';
import { ranksOf } from '../../ir/topology.ts';
import { derivationsOf } from '../derive.ts';
import { dismissed, type Engine, type Problem, type Proposal } from '../engine.ts';
import { walkFrontier } from './frontier.ts';
import { type InstanceShape, scheduleName } from './instance.ts';
import { Oracle, type ShapeVerdict } from './oracle.ts';

export { type Frontier, type FrontierEvidence, type FrontierPoint, type Gap, walkFrontier } from './frontier.ts';
export { Oracle, type ShapeVerdict } from './oracle.ts';

/** Maximum ranks: the frontiers of larger machines would take hours, and most of their points would stay undecided. */
const mostRanks = 64;

export const exactEngine: Engine = {
  name: 'exact',
  about: 'fewest steps and rounds, proved; of small machines, and asked only by name',
  onRequest: true,
  propose,
};

function* propose(problem: Problem): Iterable<Proposal> {
  if (problem.algorithm !== undefined) return;
  const { collective, chunks, parameters } = problem;
  const name = `exact-${collective.kind}`;
  const unfit = unfitFor(problem);
  if (unfit !== undefined) {
    yield dismissed(name, unfit);
    return;
  }
  const shouldStop = () => problem.shouldStop?.() === true;
  const oracle = new Oracle(collective, problem.routes, { ...problem, shouldStop });
  const { steps, rounds } = parameters;
  if (chunks !== undefined && steps !== undefined && rounds !== undefined) {
    yield proposalOf({ chunks, steps, rounds }, oracle.query({ chunks, steps, rounds }), collective.kind);
    return;
  }
  const isWanted = (shape: InstanceShape): boolean =>
    (chunks ?? shape.chunks) === shape.chunks &&
    (steps ?? shape.steps) === shape.steps &&
    (rounds ?? shape.rounds) === shape.rounds;
  let [told, proposed] = [0, 0];
  for (const { points } of walkFrontier(oracle, chunks ?? oracle.usualChunks(), shouldStop)) {
    for (; told < points.length; told++) {
      if (!isWanted(points[told])) continue;
      yield proposalOf(points[told], points[told].verdict, collective.kind);
      proposed++;
    }
  }
  if (proposed > 0) return;
  const reason = 'no point of the frontier has what was asked for; say --chunks, --set steps= and --set rounds=';
  yield dismissed(name, reason);
}

/** The reason why the engine does not support a problem, or undefined. */
export function unfitFor({ collective, routes }: Pick<Problem, 'collective' | 'routes'>): string | undefined {
  if (collective.ranks === 1) return 'one rank has nothing to move';
  if (derivationsOf(collective.kind).length === 0) return `there is no ${collective.kind} in moves`;
  if (collectiveFacts[collective.kind].reduces && combinesInRankOrder(collective))
    return 'needs an operator that commutes';
  const ranks = ranksOf(routes.topology);
  if (ranks <= mostRanks) return undefined;
  return `exact schedules are for machines of at most ${mostRanks} chips, not ${ranks}`;
}

function proposalOf(shape: InstanceShape, verdict: ShapeVerdict, kind: CollectiveKind): Proposal {
  const name = scheduleName(kind, shape);
  switch (verdict.status) {
    case 'feasible':
      return {
        kind: 'candidate',
        candidate: { name, origin: { engine: 'exact', schedule: name }, build: verdict.schedule },
      };
    case 'infeasible':
      return dismissed(name, `impossible: ${verdict.proof}`);
    case 'unknown':
      return dismissed(name, `not decided: ${verdict.reason}`);
  }
}
