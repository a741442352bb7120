/**
 * The gather-then-reduce engine (`--engine folding`): for short messages, reducing on the way costs more latency than
 * it saves bytes. Other engines gather all operands in as few steps as they can, and every rank that needs the result
 * reduces them locally. Its limit: every rank receives the inputs of all others, so it is for short messages only.
 */
import type { Collective } from '../ir/collective.ts';
import { gatheringKinds, gatherThenReduce } from '../passes/index.ts';
import { candidatesOf, type Engine, type EngineEstimate, type Problem, type Proposal } from './engine.ts';
import { proposeRecursiveDoubling } from './merging/index.ts';
import { isShort } from './short.ts';

/** Maximum bytes of all operands at one rank; beyond it moving takes longer than reducing on the way. */
const mostGathered = 2 ** 20;

/** @param movers the engines queried for the gathering collectives */
export function proposeGatherThenReduce(movers: readonly Engine[]): Engine {
  return {
    name: 'folding',
    searches: true,
    about: 'for short messages: all operands to where they are needed, combined there in rank order',
    estimate: estimateOf,
    propose: (problem) => propose(problem, movers),
  };
}

/** If every link carries the whole message in less than its latency, nothing is usually faster. */
function estimateOf({ collective, routes, size }: Problem): Partial<EngineEstimate> {
  return collective.kind === 'allreduce' && isShort(size, routes.topology) ? { boundShare: 0.9 } : {};
}

function* propose(problem: Problem, movers: readonly Engine[]): Iterable<Proposal> {
  const { collective, size } = problem;
  const { kind, ranks, root, op, ordered, inPlace } = collective;
  const movedKind = gatheringKinds[kind];
  if (problem.algorithm !== undefined || movedKind === undefined) return;
  if (isShort(size, problem.routes.topology)) yield* proposeRecursiveDoubling(problem);
  const gathered = kind === 'reducescatter' ? size : size * ranks;
  if (gathered > mostGathered) return;
  const move: Collective = { kind: movedKind, ranks, chunks: collective.chunks, root, op, ordered: false, inPlace };
  for (const candidate of candidatesOf(movers, { ...problem, collective: move, size: gathered })) {
    yield {
      kind: 'candidate',
      candidate: {
        name: `${candidate.name}, then local reduction`,
        origin: { ...candidate.origin, engine: 'folding', mover: candidate.origin.engine },
        build: (multiple) => {
          const schedule = candidate.build(multiple);
          const { chunks } = schedule.collective;
          return gatherThenReduce(schedule, { kind, ranks, chunks, root, op, ordered, inPlace });
        },
        ...(candidate.estimatedTime && { estimatedTime: candidate.estimatedTime }),
      },
    };
  }
}
