/** Routed collectives: alltoall by paths that share the machine evenly, store and forward (design.md §9). */
import type { Problem, Proposal } from '../../engine.ts';
import { proposeAlltoall } from './alltoall.ts';

/** Proposals for alltoall, scatter and gather; nothing for other collectives. */
export function* proposeRouted(problem: Problem): Iterable<Proposal> {
  if (problem.algorithm !== undefined) return;
  if (problem.collective.kind === 'alltoall') yield* proposeAlltoall(problem);
}
