/**
 * The in-step engine: reductions on machines whose chips cannot send while they reduce. There it matters that neighbours reduce at
 * the same time: a chip that reduces while its neighbours do not keeps their links idle as well. So all chips keep in step: they
 * send and receive over all their links at once, reduce what has come, and go on.
 */
import { type CollectiveKind, keepsRankOrder } from '../../ir/collective.ts';
import type { Schedule } from '../../ir/schedule.ts';
import { refine } from '../../passes/index.ts';
import { type Candidate, dismissed, type Engine, type Problem, type Proposal } from '../engine.ts';
import { list } from '../list/index.ts';
import { findSymmetry } from '../symmetric/machine.ts';
import { inStep } from './in-step.ts';
import { levelled } from './levelled.ts';
import { packets } from './packets.ts';

const name = 'in-step';

export const inStepReductions: Engine = {
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
  if (keepsRankOrder(collective)) return yield dismissed(name, 'needs an operator that commutes');
  // With shards of different sizes ranks do not all do the same, whatever the machine.
  const isSymmetric = collective.counts === undefined && findSymmetry(routes.topology).found;
  if (collective.kind === 'reduce') {
    yield* packets(problem, name);
  } else if (isSymmetric) {
    // All ranks do the same at the same time, so that nobody is ever ahead.
    return;
  }
  for (const candidate of listInStep(problem)) yield { kind: 'candidate', candidate };
  if (collective.kind === 'allreduce') yield* packets(problem, name);
}

/**
 * What the list engine makes, in step; in an allreduce the usual way alone, since a reduce and a broadcast fill their pipelines
 * one after the other, in steps that take longer.
 */
function* listInStep(problem: Problem): Iterable<Candidate> {
  for (const proposal of list.propose({ ...problem, inOneBulk: true })) {
    if (proposal.kind === 'dismissed') continue;
    yield inStep(shared(proposal.candidate, problem), name);
    if (problem.collective.kind === 'allreduce') return;
  }
}

/** With reductions shared evenly, of chunks as large as they can be; more of them are cut from these. */
function shared(candidate: Candidate, problem: Problem): Candidate {
  if (problem.collective.counts !== undefined) return candidate;
  let found: Schedule | undefined;
  const build = (multiple: number): Schedule => {
    found ??= levelled(candidate.build(1), problem);
    return refine(found, multiple);
  };
  return { ...candidate, build };
}
