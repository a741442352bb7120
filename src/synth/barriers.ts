/**
 * The barriers engine. An allgather of one token per rank is a barrier, and a short one, since other engines find
 * allgathers of few latencies. Complexity and limits are those of the engines it queries.
 */
import type { Collective } from '../ir/collective.ts';
import type { Schedule } from '../ir/schedule.ts';
import { gatherThenReduce, tokensOf } from '../passes/index.ts';
import { candidatesOf, dismissed, type Engine, type Problem, type Proposal } from './engine.ts';
import { maxRanksFor } from './limits.ts';

const name = 'barriers';

/**
 * @param inStep engines queried for synchronised allgathers, in which all data received before a step can be
 * represented by one token
 * @param asTheyCome engines queried for allgathers in which a message waits only for what it carries, so that every
 * token needs a slot of its own
 */
export function barriersEngine(inStep: readonly Engine[], asTheyCome: readonly Engine[]): Engine {
  return {
    name,
    searches: true,
    about: 'barriers of as few latencies as an allgather of one token for each rank takes',
    *propose(problem) {
      const { collective } = problem;
      if (collective.kind !== 'barrier' || problem.algorithm !== undefined) return;
      yield* made(problem, inStep, tokensOf);
      if (collective.ranks <= maxRanksFor.packings) yield* made(problem, asTheyCome, gatherThenReduce);
      else yield dismissed('tokens told apart', `more than ${maxRanksFor.packings} ranks have too many`);
    },
  };
}

function* made(
  problem: Problem,
  movers: readonly Engine[],
  barrierOf: (move: Schedule, target: Collective) => Schedule,
): Iterable<Proposal> {
  const { collective, size } = problem;
  const { ranks } = collective;
  // A token is one chunk, which cannot be divided.
  const move: Problem = { ...problem, collective: { ...collective, kind: 'allgather' }, size: size * ranks, chunks: 1 };
  for (const candidate of candidatesOf(movers, move)) {
    yield {
      kind: 'candidate',
      candidate: {
        name: `tokens as in ${candidate.name}`,
        origin: { ...candidate.origin, engine: name, mover: candidate.origin.engine },
        isDeepEnough: true,
        build: () => barrierOf(candidate.build(1), collective),
      },
    };
  }
}
