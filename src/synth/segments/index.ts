/**
 * The segments engine: trees for short messages on machines with switches whose chips send one message at a time and are not all as far from each
 * other, such as rings of routers and fat trees. Who answers for a segment of the row in which the chips stand hands a part of it over, again and again.
 */
import { type Collective, collectiveFacts } from '../../ir/collective.ts';
import type { Schedule } from '../../ir/schedule.ts';
import { assemble, leastChunks, type Part } from '../derive.ts';
import { dismissed, type Engine, type Problem, type Proposal } from '../engine.ts';
import { centred, ringOf, rowOf } from '../row.ts';
import { isTree, type TreeDerivation, treesFor } from './derivations.ts';
import { ringSchedule, treeSchedule } from './schedule.ts';
import { type Handover, Splitting } from './splitting.ts';
import { type MessageTimes, messageTimes } from './times.ts';
import { areApart, sendsOneByOne, unfitFor } from './worth.ts';

export const segments: Engine = {
  name: 'segments',
  searches: true,
  promise: () => ({ part: 0.85, work: 500 }),
  about: 'trees for short messages behind switches: who answers for a row of chips hands a part of it over',
  propose,
};

function* propose(problem: Problem): Iterable<Proposal> {
  const derivations = treesFor(problem.collective.kind);
  if (problem.algorithm !== undefined || derivations.length === 0 || !sendsOneByOne(problem.routes.topology)) return;
  for (const derivation of derivations) yield* proposed(problem, derivation);
}

function* proposed(problem: Problem, derivation: TreeDerivation): Iterable<Proposal> {
  const { collective } = problem;
  const { kind } = collective;
  const name = derivation.name === '' ? `segments-${kind}` : `segments-${kind} (${derivation.name})`;
  const reason = unfitFor(problem, derivation);
  if (reason !== undefined) {
    yield dismissed(name, reason);
    return;
  }
  const times = new Map<Part, MessageTimes>();
  for (const part of derivation.parts.filter(isTree)) {
    const found = messageTimes(problem, part.kind, part.reversed);
    if (found === undefined) {
      yield dismissed(name, 'some chips cannot reach others');
      return;
    }
    times.set(part, found);
  }
  const [first] = times.values();
  // Where all are as far from each other, textbook trees do as well.
  if (!areApart(first)) return;
  const apart = (from: number, to: number) => first.arrival[from * collective.ranks + to];
  const found = rowOf(collective.ranks, apart);
  const row = collectiveFacts[kind].rooted ? centred(found, collective.root, apart) : found;
  yield candidate(name, problem, derivation, { times, row, ring: ringOf(found, apart) });
}

/** What messages take in each part that is a tree, and how ranks stand for trees and for a ring. */
interface Standing {
  readonly times: ReadonlyMap<Part, MessageTimes>;
  readonly row: readonly number[];
  readonly ring: readonly number[];
}

/** Trees are searched when the candidate is first built. */
function candidate(
  name: string,
  { collective, chunks }: Problem,
  derivation: TreeDerivation,
  { times, row, ring }: Standing,
): Proposal {
  const root = collectiveFacts[collective.kind].rooted ? collective.root : row[row.length >> 1];
  const least = chunks ?? leastChunks(collective, derivation, [1, 1]);
  const known = new Map<Part, readonly Handover[]>();
  const treeOf = (part: Part, found: MessageTimes): readonly Handover[] => {
    const tree = known.get(part) ?? new Splitting(found, row).treeFrom(root);
    known.set(part, tree);
    return tree;
  };
  const made = (move: Collective, part: Part): Schedule => {
    const found = times.get(part);
    return found === undefined ? ringSchedule(name, move, ring) : treeSchedule(name, move, treeOf(part, found));
  };
  const build = (multiple: number): Schedule => {
    const target = { ...collective, chunks: least * multiple };
    return assemble(target, derivation, made, root);
  };
  return { kind: 'candidate', candidate: { name, origin: { engine: segments.name, schedule: name }, build } };
}
