/** A candidate of the list engine; its moves are searched when it is first built. */
import type { Collective } from '../../ir/collective.ts';
import type { Schedule } from '../../ir/schedule.ts';
import { assembleSchedule, type Derivation, type DerivedPart } from '../derive.ts';
import type { Candidate, Proposal } from '../engine.ts';
import { evenPlaces, placesInShards } from './places.ts';
import type { SpreadProblem, Strategy } from './problem.ts';
import { placedSchedule, secondsInTurn, spreadOf } from './spread.ts';

/** What is searched for a part of a derivation, and in how many items a shard of it. */
interface Searched {
  readonly search: SpreadProblem;
  readonly items: number;
}

export function candidate(
  strategy: Strategy,
  derivation: Derivation,
  parts: readonly Searched[],
  target: Collective,
  origin: Candidate['origin'] & { readonly schedule: string },
): Proposal {
  const name = origin.schedule;
  const movesOf = ({ search, items }: Searched) => strategy.search(spreadOf(search, items), search);
  const made = (move: Collective, part: DerivedPart): Schedule => {
    const searched = parts[derivation.parts.indexOf(part)];
    const { search, items } = searched;
    const { origin: from } = spreadOf(search, items);
    // A message as a whole is equal items, wherever these start.
    const isWhole = move.kind === 'broadcast';
    const places = isWhole ? evenPlaces(move.chunks / from.length) : placesInShards(from, move.chunks);
    return placedSchedule(movesOf(searched), name, move, places, 0);
  };
  const build = (multiple: number) =>
    assembleSchedule({ ...target, chunks: target.chunks * multiple }, derivation, made, parts[0].search.root);
  const promised = () => secondsInTurn(parts.map(movesOf));
  return { kind: 'candidate', candidate: { name, origin, build, estimatedTime: promised } };
}
