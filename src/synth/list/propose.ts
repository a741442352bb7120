/** Allgather, broadcast and what is made of them (derive.ts): the candidates of every strategy that fits the machine. */
import { collectiveFacts, combinesInRankOrder, messageChunks } from '../../ir/collective.ts';
import { type Derivation, derivationsOf, minChunksPerShard } from '../derive.ts';
import { dismissed, type Problem, type Proposal } from '../engine.ts';
import { isLine } from '../line.ts';
import { candidate } from './candidate.ts';
import { events, steps, together } from './events/index.ts';
import { cached, type MoveProblem, machineFor } from './machine.ts';
import { chunksFor } from './places.ts';
import { isSpread, type SpreadProblem, type Strategy } from './problem.ts';
import { rows } from './rows.ts';
import type { Moves } from './spread.ts';
import { proposeThroughCentre } from './through-centre.ts';

const strategies: readonly Strategy[] = [steps, events, together, rows];

/** Candidates for collectives in which everyone gets everything, and for their reversals and compositions. */
export function* proposeSpreads(problem: Problem): Iterable<Proposal> {
  const { collective } = problem;
  const derivations = derivationsOf(collective.kind).filter(({ parts }) => parts.every(({ kind }) => isSpread(kind)));
  if (derivations.length === 0) return;
  if (collective.ranks === 1) {
    yield dismissed(`list-${collective.kind}`, 'one rank has nothing to move');
    return;
  }
  // What is found first should be good: along a line that is a pipeline from its end.
  if (isLine(problem.routes.topology)) derivations.reverse();
  const machine = machineFor(problem);
  const ordered = collectiveFacts[collective.kind].reduces && combinesInRankOrder(collective);
  for (const strategy of strategies.map(remembering)) {
    const name = `list-${strategy.name}-${collective.kind}`;
    const reasons = derivations.map((derivation) => unfitFor(strategy, derivation, machine));
    const fitting = derivations.filter((_, index) => reasons[index] === undefined);
    if (fitting.length === 0) yield dismissed(name, reasons[0] ?? '');
    else if (ordered) yield dismissed(name, 'needs an operator that commutes');
    else {
      for (const derivation of fitting) yield proposeWith(strategy, derivation, machine, problem);
      yield* proposeThroughCentre(strategy, machine, problem);
    }
  }
}

/** A strategy that searches once for what several parts need: a machine often is its own mirror. */
function remembering(strategy: Strategy): Strategy {
  const parts = new Map<SpreadProblem, number>();
  const found = new Map<SpreadProblem, Map<number, Moves>>();
  return {
    ...strategy,
    itemsPerShard: (problem) => cached(parts, problem, () => strategy.itemsPerShard(problem)),
    search: (spread, problem) => {
      const ofProblem = cached(found, problem, () => new Map<number, Moves>());
      return cached(ofProblem, spread.origin.length, () => strategy.search(spread, problem));
    },
  };
}

/** Why a strategy cannot make a derivation, or undefined. */
function unfitFor(strategy: Strategy, derivation: Derivation, machine: MoveProblem): string | undefined {
  const searches = searchesFor(derivation, machine);
  return searches.map((search) => search.unreachable ?? strategy.unfit(search)).find((reason) => reason !== undefined);
}

function searchesFor({ parts }: Derivation, machine: MoveProblem): SpreadProblem[] {
  return parts.flatMap(({ kind, reversed }) => (isSpread(kind) ? [machine(kind, reversed)] : []));
}

function proposeWith(strategy: Strategy, derivation: Derivation, machine: MoveProblem, problem: Problem): Proposal {
  const { collective, chunks, limits } = problem;
  const name = `list-${strategy.name}-${collective.kind}${derivation.name && ` (${derivation.name})`}`;
  const searches = searchesFor(derivation, machine);
  const latency = searches.reduce((sum, search) => sum + strategy.leastLatency(search), 0);
  if (problem.incumbent !== undefined && latency >= problem.incumbent) {
    return dismissed(name, 'its latencies alone take longer than another plan');
  }
  const items = searches.map((search) => itemsFor(search, strategy, problem));
  if (items.includes(0)) {
    return dismissed(name, `a message of ${chunks} chunks cannot be divided among ${collective.ranks} ranks`);
  }
  const moved = searches.reduce((sum, search, s) => sum + itemsOf(search, items[s]) * collective.ranks, 0);
  // Each is sent and received.
  if (2 * moved > limits.operations) {
    return dismissed(name, `${moved} chunks to move make more operations than the limit ${limits.operations}`);
  }
  const parts = searches.map((search, s) => ({ search, items: items[s] }));
  const units = parts.map((part) =>
    part.search.shares === undefined ? part.items : chunksFor(part.search.shares, part.items),
  );
  const target = { ...collective, chunks: chunks ?? minChunksPerShard(collective, derivation, units) };
  return candidate(strategy, derivation, parts, target, { engine: 'list', schedule: name });
}

/** Items per shard of a part; 0 where the user's chunks cannot be divided so. */
function itemsFor(search: SpreadProblem, strategy: Strategy, { collective, chunks }: Problem): number {
  if (chunks === undefined) return strategy.itemsPerShard(search);
  const { shares, kind, ranks } = search;
  if (shares !== undefined) return 1;
  const message = messageChunks({ ...collective, chunks });
  const items = kind === 'allgather' ? message / ranks : message;
  return Number.isInteger(items) ? items : 0;
}

/** Items in all, with so many of them in each shard, or in each unit of shards that differ. */
function itemsOf({ kind, ranks, shares }: SpreadProblem, each: number): number {
  if (shares !== undefined) return each * shares.reduce((sum, { share }) => sum + share, 0);
  return kind === 'allgather' ? each * ranks : each;
}
