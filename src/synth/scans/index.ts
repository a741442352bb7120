/**
 * The scans engine: prefix sums that are limited by what links carry. Chains and hypercubes leave most links of a machine idle,
 * or send all data in every step.
 */
import type { Engine, Problem, Proposal } from '../engine.ts';
import { proposePacked } from './packed.ts';
import { proposeTransposed } from './transposed.ts';

/** @param movers asked for alltoalls */
export function scans(movers: readonly Engine[]): Engine {
  return {
    name: 'scans',
    about: 'scans over all links: two alltoalls around local scans',
    propose: (problem) => propose(problem, movers),
  };
}

function* propose(problem: Problem, movers: readonly Engine[]): Iterable<Proposal> {
  const { kind } = problem.collective;
  if (problem.algorithm !== undefined || (kind !== 'scan' && kind !== 'exscan')) return;
  yield* proposePacked(problem);
  yield* proposeTransposed(problem, movers);
}
