/**
 * Recursive doubling on any machine, for allreduces of short messages. The ranks of a cell exchange their vectors and each of them computes the sum; then the cells of a
 * larger cell exchange their sums, and so on. A single exchange among all ranks is an allgather followed by a local reduction. If the cells are pairs, pairs of pairs and
 * so on, it is the textbook recursive doubling (Thakur, Rabenseifner and Gropp 2005); cells of other sizes need no hypercube.
 */
import { combinesInRankOrder } from '../../ir/collective.ts';
import type { Schedule } from '../../ir/schedule.ts';
import { dismissed, type Problem, type Proposal } from '../engine.ts';
import { maxRanksFor } from '../limits.ts';
import { events } from '../list/events/index.ts';
import { moveProblemFactory } from '../list/machine.ts';
import type { SpreadProblem } from '../list/problem.ts';
import { type Moves, secondsInTurn } from '../list/spread.ts';
import { cellLevels } from './cells.ts';
import { chainsOf, type ExchangeSequence } from './chains.ts';
import { inExchanges } from './schedule.ts';

const name = 'merging sums';

export function* proposeRecursiveDoubling(problem: Problem): Iterable<Proposal> {
  const { collective, routes, size, incumbent = Number.POSITIVE_INFINITY } = problem;
  const { kind, ranks } = collective;
  if (kind !== 'allreduce' || combinesInRankOrder(collective) || ranks === 1 || ranks > maxRanksFor.cubes) return;
  const machine = moveProblemFactory(problem)('allgather', false);
  const reason = machine.unreachable ?? events.unfit({ ...machine, effort: 'full' });
  if (reason !== undefined) return yield dismissed(name, reason);
  const { topology } = routes;
  for (const chain of chainsOf(cellLevels(topology, machine.routes()), machine.routes(), topology, size)) {
    if (chain.seconds < incumbent) yield candidate(problem, machine, chain);
  }
}

/** The candidate for one sequence of exchanges. Its messages are searched when it is first built or timed. */
function candidate(
  { collective, chunks = 1 }: Problem,
  machine: SpreadProblem,
  { exchanges }: ExchangeSequence,
): Proposal {
  const label = `${name} in ${exchanges.length} exchanges`;
  let known: readonly Moves[] | undefined;
  const moves = (): readonly Moves[] => {
    // Every item is a whole vector, so that the items of an exchange are larger together than the collective's message.
    known ??= exchanges.map((each) => events.search(each, { ...machine, size: machine.size * each.origin.length }));
    return known;
  };
  const build = (multiple: number): Schedule =>
    inExchanges(exchanges, moves(), label, { ...collective, chunks: chunks * multiple });
  const promised = () => secondsInTurn(moves());
  return {
    kind: 'candidate',
    candidate: { name: label, origin: { engine: 'folding', schedule: label }, build, estimatedTime: promised },
  };
}
