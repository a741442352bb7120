/** Candidates of every applicable strategy for allgather, broadcast and the collectives derived from them by reversal and composition (derive.ts). */
import { collectiveFacts, combinesInRankOrder, messageChunks } from '../../ir/collective.ts';
import { type Derivation, derivationsOf, minChunksPerShard } from '../derive.ts';
import { dismissed, type Problem, type Proposal } from '../engine.ts';
import { isLine } from '../line.ts';
import { candidate } from './candidate.ts';
import { events, steps, together } from './events/index.ts';
import { cached, type MoveProblem, moveProblemFactory } from './machine.ts';
import { chunksFor } from './places.ts';
import { isSpread, type SpreadProblem, type Strategy } from './problem.ts';
import { rows } from './rows.ts';
import type { Moves } from './spread.ts';
import { proposeThroughCentre } from './through-centre.ts';

const strategies: readonly Strategy[] = [steps, events, together, rows];

/**
 * Proposes candidates for collectives in which all data goes to every rank, and for their reversals and compositions; dismisses strategies
 * that are not applicable.
 */
export function* proposeSpreads(problem: Problem): Iterable<Proposal> {
  const { collective } = problem;
  const derivations = derivationsOf(collective.kind).filter(({ parts }) => parts.every(({ kind }) => isSpread(kind)));
  if (derivations.length === 0) return;
  if (collective.ranks === 1) {
    yield dismissed(`list-${collective.kind}`, 'one rank has nothing to move');
    return;
  }
  // The first candidate should be good, as the budget may end the search: for an allreduce along a line that is the pipelined reduce and
  // broadcast, the last derivation.
  if (isLine(problem.routes.topology)) derivations.reverse();
  const machine = moveProblemFactory(problem);
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

/** Caches a strategy's results, so that parts with the same search problem (as on a machine that equals its transpose) share one search. */
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

/** The reason why a strategy cannot make some part of a derivation, or undefined. */
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
  // Every moved item is one send and one receive.
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

/** Items per shard of a part; 0 if the number of chunks that the user requested cannot be divided that way. */
function itemsFor(search: SpreadProblem, strategy: Strategy, { collective, chunks }: Problem): number {
  if (chunks === undefined) return strategy.itemsPerShard(search);
  const { shares, kind, ranks } = search;
  if (shares !== undefined) return 1;
  const message = messageChunks({ ...collective, chunks });
  const items = kind === 'allgather' ? message / ranks : message;
  return Number.isInteger(items) ? items : 0;
}

/** Total number of items, given the items per shard or, with unequal shards, per unit of a shard. */
function itemsOf({ kind, ranks, shares }: SpreadProblem, each: number): number {
  if (shares !== undefined) return each * shares.reduce((sum, { share }) => sum + share, 0);
  return kind === 'allgather' ? each * ranks : each;
}
