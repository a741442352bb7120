/** Collectives in which each chunk has one destination, by paths that share the machine evenly. */
import type { Problem, Proposal } from '../../engine.ts';
import { proposeAlltoall } from './alltoall.ts';
import { proposeScatter } from './scatter.ts';

/** Proposals for alltoall, scatter and gather; nothing for other collectives. */
export function* proposeRouted(problem: Problem): Iterable<Proposal> {
  if (problem.algorithm !== undefined) return;
  const { kind } = problem.collective;
  if (kind === 'alltoall') yield* proposeAlltoall(problem);
  if (kind === 'scatter' || kind === 'gather') yield* proposeScatter(problem);
}
