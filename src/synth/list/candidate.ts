/** Makes candidates of the list engine. The search for their moves runs when a candidate is first built or estimated. */
import type { Collective } from '../../ir/collective.ts';
import type { Schedule } from '../../ir/schedule.ts';
import { assembleSchedule, type Derivation, type DerivedPart } from '../derive.ts';
import type { Candidate, Proposal } from '../engine.ts';
import { evenPlaces, placesInShards } from './places.ts';
import type { SpreadProblem, Strategy } from './problem.ts';
import { placedSchedule, secondsInTurn, spreadOf } from './spread.ts';

/** The search problem of one part of a derivation, and the number of items per shard (or, with unequal shards, per unit of a shard). */
interface Searched {
  readonly search: SpreadProblem;
  readonly items: number;
}

/**
 * Makes a candidate from a derivation whose parts are searched with a strategy.
 * @param parts one search problem per part of the derivation, in its order
 * @param target the collective, with the minimum number of chunks
 * @param origin `schedule` becomes the candidate's name
 */
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
    // A broadcast has a single message that is cut into equal items, so no item has to respect a boundary between shards.
    const isWhole = move.kind === 'broadcast';
    const places = isWhole ? evenPlaces(move.chunks / from.length) : placesInShards(from, move.chunks);
    return placedSchedule(movesOf(searched), name, move, places, 0);
  };
  const build = (multiple: number) =>
    assembleSchedule({ ...target, chunks: target.chunks * multiple }, derivation, made, parts[0].search.root);
  const promised = () => secondsInTurn(parts.map(movesOf));
  return { kind: 'candidate', candidate: { name, origin, build, estimatedTime: promised } };
}
