/**
 * The waves engine: reductions on machines whose chips cannot send while they reduce. There it matters that neighbours reduce at
 * the same time: a chip that reduces while its neighbours do not keeps their links idle as well. So all chips keep in step: they
 * send and receive over all their links at once, reduce what has come, and go on.
 */
import { type Collective, type CollectiveKind, keepsRankOrder } from '../../ir/collective.ts';
import type { Engine, Problem, Proposal } from '../engine.ts';
import { list } from '../list/index.ts';
import { findSymmetry } from '../symmetric/machine.ts';
import { inStep } from './in-step.ts';
import { treeWaves } from './tree-waves.ts';

const name = 'waves';

export const waves: Engine = {
  name,
  about: 'reductions with all chips in step, for chips that cannot send while they reduce',
  propose,
};

const reductions: readonly CollectiveKind[] = ['reduce', 'reducescatter', 'allreduce'];

function* propose(problem: Problem): Iterable<Proposal> {
  const { collective, routes, algorithm, size } = problem;
  const { nodes, chips } = routes.topology;
  const exclusive = chips.some((chip) => nodes[chip].reduce?.overlap === false);
  if (algorithm !== undefined || !reductions.includes(collective.kind) || collective.ranks === 1 || !exclusive) return;
  if (size === 0 || isInStepAnyway(collective, problem)) return;
  if (keepsRankOrder(collective)) return yield dismissed('needs an operator that commutes');
  if (collective.counts !== undefined) return yield dismissed('needs shards of one size');
  if (collective.kind === 'reduce') yield* treeWaves(problem, name);
  for (const proposal of list.propose(problem)) {
    if (proposal.kind === 'dismissed') continue;
    yield { kind: 'candidate', candidate: inStep(proposal.candidate, problem, name) };
  }
}

/** Where all ranks do the same at the same time, nobody is ever ahead. */
function isInStepAnyway({ kind }: Collective, { routes }: Problem): boolean {
  return kind !== 'reduce' && findSymmetry(routes.topology).found;
}

function dismissed(reason: string): Proposal {
  return { kind: 'dismissed', dismissal: { name, reason } };
}
