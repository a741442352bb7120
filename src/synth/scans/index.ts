/**
 * The scans engine: scans and exscans of long messages, limited by the bandwidth of links. Textbook chains and hypercubes leave most links
 * of a machine idle, or send all data in every step; these algorithms use all links (packed chains, trees, two alltoalls around local
 * scans). For machines of several boxes it also proposes scans of short messages, with few consecutive messages between boxes.
 */
import { dismissed, type Engine, type Problem, type Proposal } from '../engine.ts';
import { isShort } from '../short.ts';
import { proposeNested } from './nested.ts';
import { proposePacked } from './packed.ts';
import { proposeTransposed } from './transposed.ts';
import { proposeTrees } from './trees.ts';

/**
 * The engine.
 * @param movers the engines that are queried for alltoalls
 */
export function scansEngine(movers: readonly Engine[]): Engine {
  return {
    name: 'scans',
    searches: true,
    holdsBack: true,
    about: 'scans over all links: chains, trees, runs of ranks in runs, or two alltoalls around local scans',
    propose: (problem) => propose(problem, movers),
  };
}

function* propose(problem: Problem, movers: readonly Engine[]): Iterable<Proposal> {
  const { kind } = problem.collective;
  if (problem.algorithm !== undefined || (kind !== 'scan' && kind !== 'exscan')) return;
  const isLeft = problem.byName !== true && isShort(problem.size, problem.routes.topology);
  if (!isLeft) yield* proposeTrees(problem);
  yield* proposeNested(problem, isLeft);
  if (isLeft) {
    const reason =
      'one message takes longer than the bytes of a whole vector: for that there are algorithms of few steps';
    return yield dismissed('scans over all links', reason);
  }
  yield* proposePacked(problem);
  yield* proposeTransposed(problem, movers);
}
