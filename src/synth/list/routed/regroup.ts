/** Fewer rounds for messages that all go directly. */
import type { Random } from '../../../ir/random.ts';
import type { Seconds } from '../../../ir/units.ts';
import type { ArcNetwork } from './network.ts';
import type { Routing } from './paths.ts';
import { type RoundMessage, scheduleRounds } from './rounds.ts';

/** Parcels × rounds that may be looked at for fewer rounds. */
const regroupingEffort = 1e6;

/**
 * Fewer rounds for messages that all go directly: those of a round stay together, and the rounds are filled again in another
 * order, which never takes more of them (iterated greedy colouring: Culberson, "Iterated greedy graph coloring and the
 * difficulty landscape", 1992).
 */
export function regrouped(
  network: ArcNetwork,
  routing: Routing,
  quantum: Seconds,
  first: RoundMessage[][],
  random: Random,
): RoundMessage[][] {
  const { paths, busiest } = routing;
  const fewest = Math.ceil(busiest / quantum - 1e-9);
  const order = new Int32Array(paths.length);
  let rounds = first;
  let effort = regroupingEffort;
  for (let attempt = 0; rounds.length > fewest && effort > 0; attempt++) {
    effort -= paths.length * rounds.length;
    const groups = rounds.map((messages) => messages.flatMap(({ parcels }) => parcels));
    if (attempt % 4 === 3) random.shuffle(groups);
    else if (attempt % 4 === 1) groups.sort((a, b) => b.length - a.length);
    else groups.reverse();
    groups.flat().forEach((parcel, place) => {
      order[parcel] = place;
    });
    const again = scheduleRounds(network, routing, quantum, order);
    if (again.length <= rounds.length) rounds = again;
  }
  return rounds;
}
