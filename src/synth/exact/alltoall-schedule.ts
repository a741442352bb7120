/** The moves of an alltoall as a schedule. */
import type { Collective } from '../../ir/collective.ts';
import { type Schedule, Steps } from '../../ir/schedule.ts';
import type { RoundMessage } from '../list/routed/rounds.ts';
import { alltoallSchedule } from '../list/routed/schedule.ts';
import type { Moves } from '../list/spread.ts';

/** Item (i · N + j) · c + k of the moves is `width` chunks of what rank i has for rank j. */
export function scheduleOfAlltoall(moves: Moves, name: string, collective: Collective, width: number): Schedule {
  const { ranks } = collective;
  const parts = collective.chunks / width;
  const parcels = Array.from({ length: parts * ranks * ranks }, (_, item) => {
    const pair = Math.floor(item / parts);
    return { source: Math.floor(pair / ranks), destination: pair % ranks, weight: 1, part: item % parts, parts };
  });
  const paths: number[][] = parcels.map(() => []);
  const rounds = Array.from({ length: moves.steps }, (_, step): readonly RoundMessage[] => {
    const end = step + 1 < moves.steps ? moves.stepStart.at(step + 1) : moves.length;
    const messages = new Map<number, number[]>();
    for (let row = moves.stepStart.at(step); row < end; row++) {
      const [arc, item] = [moves.from.at(row) * ranks + moves.to.at(row), moves.item.at(row)];
      paths[item].push(arc);
      messages.set(arc, [...(messages.get(arc) ?? []), item]);
    }
    return [...messages].map(([arc, carried]) => ({ arc, parcels: carried }));
  });
  const arcs = Array.from({ length: ranks * ranks }, (_, arc) => {
    return { from: Math.floor(arc / ranks), to: arc % ranks, channel: 0 };
  });
  const schedule = alltoallSchedule(name, collective, { arcs, ranks }, { parcels, paths, rounds });
  const claimed = moves.rounds.view().map((each) => each * width);
  return { ...schedule, steps: new Steps({ ...schedule.steps, rounds: claimed }) };
}
