/**
 * The list engine: greedy schedules on any machine. Data that everyone wants is spread by the strategies of propose.ts;
 * data with one destination each is routed.
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
