/**
 * The list engine: list scheduling (Graham, Bell System Technical Journal 45, 1966) of messages on any machine. Whenever links become free,
 * the most valuable messages that can use them start; no message is taken back, so the schedules have no guarantee, and randomised attempts
 * are repeated within a limit of work.
 * Data that every rank needs (allgather, broadcast, and the reductions derived from them) is spread by the strategies of propose.ts; data
 * with a single destination (alltoall, scatter, gather) is routed along paths (routed/). An attempt takes time about proportional to the
 * messages times the arcs that may follow each; `listLimits` bounds the sizes.
 */
import type { Engine, Problem, Proposal } from '../engine.ts';
import { proposeSpreads } from './propose.ts';
import { proposeRouted } from './routed/index.ts';

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
