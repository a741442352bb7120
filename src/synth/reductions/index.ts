/**
 * The in-step engine: reductions on machines whose chips cannot send while they reduce. A chip that reduces while its neighbours do not
 * keeps their links idle too, so all chips are synchronised: they send and receive over all links at once, reduce what has arrived, and
 * continue. The schedules come from pipelined trees (packets.ts) and from the list engine.
 */
import { type CollectiveKind, combinesInRankOrder } from '../../ir/collective.ts';
import { candidatesOf, dismissed, type Engine, type Problem, type Proposal } from '../engine.ts';
import { listEngine } from '../list/index.ts';
import { findSymmetry } from '../symmetric/machine.ts';
import { inLockStep } from './in-step.ts';
import { proposePackets } from './packets.ts';

const name = 'in-step';

/** The in-step engine. */
export const lockStepEngine: Engine = {
  name,
  searches: true,
  about: 'reductions with all chips in step, for chips that cannot send while they reduce',
  propose,
};

const reductions: readonly CollectiveKind[] = ['reduce', 'reducescatter', 'allreduce'];

function* propose(problem: Problem): Iterable<Proposal> {
  const { collective, routes, algorithm, size } = problem;
  const { nodes, chips } = routes.topology;
  const exclusive = chips.some((chip) => nodes[chip].reduce?.overlap === false);
  if (algorithm !== undefined || !reductions.includes(collective.kind) || collective.ranks === 1 || !exclusive) return;
  if (size === 0) return;
  if (combinesInRankOrder(collective)) return yield dismissed(name, 'needs an operator that commutes');
  for (const proposal of outOfStep(problem)) {
    yield proposal.kind === 'dismissed' ? proposal : { ...proposal, candidate: inLockStep(proposal.candidate, name) };
  }
}

function* outOfStep(problem: Problem): Iterable<Proposal> {
  const { kind, counts } = problem.collective;
  if (kind === 'reduce') yield* proposePackets(problem);
  // If all ranks do the same at the same time, none ever gets ahead, so there is nothing to gain. With unequal shards ranks do different
  // amounts of work on any machine.
  else if (counts === undefined && findSymmetry(problem.routes.topology).found) return;
  for (const candidate of candidatesOf([listEngine], { ...problem, inOneBulk: true })) {
    yield { kind: 'candidate', candidate };
    // Takes the first derivation alone: a reduce and a broadcast fill their pipelines one after the other, in steps that take longer.
    if (kind === 'allreduce') break;
  }
  if (kind === 'allreduce') yield* proposePackets(problem);
}
