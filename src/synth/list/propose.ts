/** Allgather, broadcast and what is made of them (derive.ts): the candidates of every strategy that fits the machine. */
import { type Collective, collectiveFacts, keepsRankOrder, messageChunks } from '../../ir/collective.ts';
import type { Schedule } from '../../ir/schedule.ts';
import type { Seconds } from '../../ir/units.ts';
import { assemble, type Derivation, derivationsOf, leastChunks, type Part } from '../derive.ts';
import { dismissed, type Problem, type Proposal } from '../engine.ts';
import { isLine } from '../line.ts';
import { events, together } from './events/index.ts';
import { type Machine, machineFor } from './machine.ts';
import { chunksFor, unevenPlaces } from './places.ts';
import { isSpread, type SpreadKind, type SpreadProblem, type Strategy } from './problem.ts';
import { rounds } from './rounds/index.ts';
import { rows } from './rows.ts';
import { type Moves, placedSchedule, scheduleOf, secondsInTurn, spreadOf } from './spread.ts';
import { proposeThroughCentre } from './through-centre.ts';

const strategies: readonly Strategy[] = [rounds, events, together, rows];

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
  const ordered = collectiveFacts[collective.kind].reduces && keepsRankOrder(collective);
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
  const found = new Map<SpreadProblem, { readonly items: number; readonly moves: Moves }>();
  return {
    ...strategy,
    itemsPerShard: (problem) => {
      const known = parts.get(problem) ?? strategy.itemsPerShard(problem);
      parts.set(problem, known);
      return known;
    },
    search: (spread, problem) => {
      const items = spread.origin.length;
      const known = found.get(problem);
      if (known?.items === items) return known.moves;
      const moves = strategy.search(spread, problem);
      found.set(problem, { items, moves });
      return moves;
    },
  };
}

/** Why a strategy cannot make a derivation, or undefined. */
function unfitFor(strategy: Strategy, derivation: Derivation, machine: Machine): string | undefined {
  const searches = searchesFor(derivation, machine);
  return searches.map((search) => search.unreachable ?? strategy.unfit(search)).find((reason) => reason !== undefined);
}

function searchesFor({ parts }: Derivation, machine: Machine): SpreadProblem[] {
  return parts.flatMap(({ kind, reversed }) => (isSpread(kind) ? [machine(kind, reversed)] : []));
}

function proposeWith(strategy: Strategy, derivation: Derivation, machine: Machine, problem: Problem): Proposal {
  const { collective, chunks, limits } = problem;
  const name = nameOf(strategy, derivation, collective);
  const searches = searchesFor(derivation, machine);
  if (problem.toBeat !== undefined && latencyOf(strategy, searches) >= problem.toBeat) {
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
  const units = searches.map(({ shares }, s) => (shares === undefined ? items[s] : chunksFor(shares, items[s])));
  const target = { ...collective, chunks: chunks ?? leastChunks(collective, derivation, units) };
  return candidate(name, strategy, { derivation, searches, items }, target);
}

/** Items per shard of a part; 0 where the user's chunks cannot be divided so. */
function itemsFor(search: SpreadProblem, strategy: Strategy, { collective, chunks }: Problem): number {
  if (chunks === undefined) return strategy.itemsPerShard(search);
  return search.shares === undefined ? itemsInChunks({ ...collective, chunks }, search.kind) : 1;
}

/** What parts take at least one after the other, whatever overlaps. */
function latencyOf(strategy: Strategy, searches: readonly SpreadProblem[]): Seconds {
  return searches.reduce((sum, search) => sum + strategy.leastLatency(search), 0);
}

/** Items in all, with so many of them in each shard, or in each unit of shards that differ. */
function itemsOf({ kind, ranks, shares }: SpreadProblem, each: number): number {
  if (shares !== undefined) return each * shares.reduce((sum, { share }) => sum + share, 0);
  return kind === 'allgather' ? each * ranks : each;
}

/** What is searched for each part of a derivation, and in how many items a shard of it. */
interface Searches {
  readonly derivation: Derivation;
  readonly searches: readonly SpreadProblem[];
  readonly items: readonly number[];
}

/** One candidate; its moves are searched when it is first built. */
function candidate(
  name: string,
  strategy: Strategy,
  { derivation, searches, items }: Searches,
  target: Collective,
): Proposal {
  const build = (multiple: number) => {
    const collective = { ...target, chunks: target.chunks * multiple };
    const made = (move: Collective, part: Part): Schedule => {
      const index = derivation.parts.indexOf(part);
      const spread = spreadOf(searches[index], items[index]);
      const moves = strategy.search(spread, searches[index]);
      if (searches[index].shares === undefined) return scheduleOf(moves, name, move, move.chunks / items[index]);
      return placedSchedule(moves, name, move, unevenPlaces(spread.origin, move.chunks), 0);
    };
    return assemble(collective, derivation, made, searches[0].root);
  };
  const promised = () =>
    secondsInTurn(searches.map((search, index) => strategy.search(spreadOf(search, items[index]), search)));
  return { kind: 'candidate', candidate: { name, origin: { engine: 'list', schedule: name }, build, promised } };
}

/** Items per shard of a part when the user has fixed C: chunks; 0 where C does not fit. */
function itemsInChunks(target: Collective, kind: SpreadKind): number {
  const message = messageChunks(target);
  const chunks = collectiveFacts[kind].sharded ? message / target.ranks : message;
  return Number.isInteger(chunks) ? chunks : 0;
}

function nameOf(strategy: Strategy, derivation: Derivation, { kind }: Collective): string {
  const name = `list-${strategy.name}-${kind}`;
  return derivation.name === '' ? name : `${name} (${derivation.name})`;
}
