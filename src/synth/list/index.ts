/**
 * The list engine: list scheduling (Graham, Bell System Technical Journal 45, 1966) of messages on any machine. Whenever links become free,
 * the most valuable messages that can use them start. A message that has started is never withdrawn, so the schedules have no guarantee of
 * quality; randomised attempts are repeated within a limit of work.
 *
 * Data that every rank needs (allgather, broadcast, and the reductions derived from them) is spread by the strategies of propose.ts; data
 * with a single destination (alltoall, scatter, gather) is routed along paths (routed/). Every message makes the arcs that use its links,
 * or that leave its receiver, candidates again, and an attempt takes time in proportion to these; `listLimits` bounds the sizes.
 */
import type { Engine, Problem, Proposal } from '../engine.ts';
import { proposeSpreads } from './propose.ts';
import { proposeRouted } from './routed/index.ts';

/** The list engine. */
export const listEngine: Engine = {
  name: 'list',
  searches: true,
  about: 'greedy schedules for any machine: whatever link is free carries what its receiver lacks',
  propose,
};

function* propose(problem: Problem): Iterable<Proposal> {
  if (problem.algorithm !== undefined) return;
  yield* proposeSpreads(problem);
  yield* proposeRouted(problem);
}
