/** Allgather, broadcast and what is made of them (derive.ts): the candidates of every strategy that fits the machine. */
import { type Collective, collectiveFacts, keepsRankOrder, messageChunks } from '../../ir/collective.ts';
import { assemble, type Derivation, derivationsOf, leastChunks, type MovingKind } from '../derive.ts';
import type { Problem, Proposal } from '../engine.ts';
import { events } from './events/index.ts';
import { machineFor } from './machine.ts';
import type { SpreadKind, SpreadProblem, Strategy } from './problem.ts';
import { rounds } from './rounds/index.ts';
import { type Moves, scheduleOf, spreadOf } from './spread.ts';

const strategies: readonly Strategy[] = [rounds, events];

/** Of the chunks that a user asks for, neighbours move together where more than this many items per rank would be moved. */
const mostItems = 1024;

/** Candidates for collectives in which everyone gets everything, and for their reversals and compositions. */
export function* proposeSpreads(problem: Problem): Iterable<Proposal> {
  const { collective } = problem;
  const derivations = derivationsOf(collective.kind).filter(({ parts }) => parts.every(({ kind }) => isSpread(kind)));
  if (derivations.length === 0) return;
  if (collectiveFacts[collective.kind].reduces && keepsRankOrder(collective)) {
    yield dismissed(`list-${collective.kind}`, 'needs an operator that commutes');
    return;
  }
  if (collective.ranks === 1) {
    yield dismissed(`list-${collective.kind}`, 'one rank has nothing to move');
    return;
  }
  const machine = machineFor(problem);
  for (const strategy of strategies) {
    for (const derivation of derivations) {
      const searches = derivation.parts.flatMap((part) =>
        isSpread(part.kind) ? [machine(part.kind, part.reversed)] : [],
      );
      yield* proposeWith(strategy, derivation, searches, problem);
    }
  }
}

function isSpread(kind: MovingKind): kind is SpreadKind {
  return kind === 'allgather' || kind === 'broadcast';
}

function* proposeWith(
  strategy: Strategy,
  derivation: Derivation,
  searches: readonly SpreadProblem[],
  problem: Problem,
): Iterable<Proposal> {
  const { collective } = problem;
  const name = nameOf(strategy, derivation, collective);
  const reason = searches.map((search) => search.unreachable ?? strategy.unfit(search)).find((r) => r !== undefined);
  if (reason !== undefined) {
    yield dismissed(name, reason);
    return;
  }
  const choices =
    problem.chunks === undefined
      ? searches.map((search) => strategy.itemsPerShard(search))
      : searches.map((search) => itemsInChunks({ ...collective, chunks: problem.chunks ?? 1 }, search.kind));
  if (choices.some((items) => items.length === 0)) {
    yield dismissed(name, `a message of ${problem.chunks} chunks cannot be divided among ${collective.ranks} ranks`);
    return;
  }
  const most = choices.reduce((longest, { length }) => Math.max(longest, length), 0);
  for (let choice = 0; choice < most; choice++) {
    const items = choices.map((list) => list[Math.min(choice, list.length - 1)]);
    const chunks = problem.chunks ?? leastChunks(collective, derivation, items);
    yield candidate(most === 1 ? name : `${name} (C = ${chunks})`, strategy, derivation, searches, items, {
      ...collective,
      chunks,
    });
  }
}

/** One candidate; its moves are searched when it is first built. */
function candidate(
  name: string,
  strategy: Strategy,
  derivation: Derivation,
  searches: readonly SpreadProblem[],
  items: readonly number[],
  target: Collective,
): Proposal {
  const found = new Map<number, Moves>();
  const movesOf = (part: number): Moves => {
    const moves = found.get(part) ?? strategy.search(spreadOf(searches[part], items[part]), searches[part]);
    found.set(part, moves);
    return moves;
  };
  const build = (multiple: number) => {
    const collective = { ...target, chunks: target.chunks * multiple };
    return assemble(collective, derivation, (move, part) => {
      const index = derivation.parts.indexOf(part);
      return scheduleOf(movesOf(index), name, move, move.chunks / items[index]);
    });
  };
  return { kind: 'candidate', candidate: { name, origin: { engine: 'list', schedule: name }, build } };
}

/** Items per shard of a part when the user has fixed C: chunks, or groups of neighbours; none where C does not fit. */
function itemsInChunks(target: Collective, kind: SpreadKind): readonly number[] {
  const message = messageChunks(target);
  const chunks = collectiveFacts[kind].sharded ? message / target.ranks : message;
  if (!Number.isInteger(chunks)) return [];
  const most = Math.max(1, collectiveFacts[kind].sharded ? Math.floor(mostItems / target.ranks) : mostItems);
  let items = Math.min(chunks, most);
  while (chunks % items !== 0) items--;
  return [items];
}

function nameOf(strategy: Strategy, derivation: Derivation, { kind }: Collective): string {
  const name = `list-${strategy.name}-${kind}`;
  return derivation.name === '' ? name : `${name} (${derivation.name})`;
}

function dismissed(name: string, reason: string): Proposal {
  return { kind: 'dismissed', dismissal: { name, reason } };
}
