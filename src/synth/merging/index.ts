/**
 * Short allreduces: ranks exchange what they have in cells, every one of a cell combines it, and what is exchanged among larger cells are sums, which all ranks of a
 * cell have. With one exchange that is an allgather and a local reduction; with pairs, pairs of pairs and so on it is recursive doubling (Thakur et al.
 * 2005), for which no hypercube is needed.
 */
import { combinesInRankOrder } from '../../ir/collective.ts';
import type { Schedule } from '../../ir/schedule.ts';
import { dismissed, type Problem, type Proposal } from '../engine.ts';
import { maxRanksFor } from '../limits.ts';
import { events } from '../list/events/index.ts';
import { machineFor } from '../list/machine.ts';
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
  const machine = machineFor(problem)('allgather', false);
  const reason = machine.unreachable ?? events.unfit({ ...machine, effort: 'full' });
  if (reason !== undefined) return yield dismissed(name, reason);
  const { topology } = routes;
  for (const chain of chainsOf(cellLevels(topology, machine.routes()), machine.routes(), topology, size)) {
    if (chain.seconds < incumbent) yield candidate(problem, machine, chain);
  }
}

/** Its moves are searched when it is first built. */
function candidate(
  { collective, chunks = 1 }: Problem,
  machine: SpreadProblem,
  { exchanges }: ExchangeSequence,
): Proposal {
  const label = `${name} in ${exchanges.length} exchanges`;
  let known: readonly Moves[] | undefined;
  const moves = (): readonly Moves[] => {
    // Items are whole vectors.
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
