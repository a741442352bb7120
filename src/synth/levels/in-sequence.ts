/** Levels with their algorithms, as one schedule. */
import { type Collective, collectiveFacts, messageChunks } from '../../ir/collective.ts';
import type { Schedule } from '../../ir/schedule.ts';
import { greatestCommonDivisor, leastCommonMultiple } from '../../ir/whole-numbers.ts';
import { compose, place } from '../../passes/index.ts';
import { type Choice, startsOf } from './algorithms.ts';
import type { Communicator, Composition, Level } from './composition.ts';

/** A level with the algorithms that were chosen for it. */
export interface ChosenLevel {
  readonly where: Level['where'];
  readonly choices: readonly Choice[];
}

/** The least C for which every algorithm's chunks are whole numbers of the message's. */
export function minChunksForLevels(
  collective: Collective,
  { units }: Composition,
  levels: readonly ChosenLevel[],
): number {
  const needs = levels.flatMap(({ choices }) => choices.flatMap(chunksPerUnit));
  const perUnit = needs.reduce(leastCommonMultiple, 1);
  return collectiveFacts[collective.kind].sharded ? (perUnit * units) / collective.ranks : perUnit * units;
}

/** Into how many chunks a unit must be divided, for each shard of a communicator (which are alike). */
function chunksPerUnit({ schedule, communicators: [{ units, counts }] }: Choice): number[] {
  const [wanted, has] =
    counts === undefined ? [messageChunks(schedule.collective), [units.length]] : [schedule.collective.chunks, counts];
  return has.filter((count) => count > 0).map((count) => wanted / greatestCommonDivisor(wanted, count));
}

/** The levels one after the other, each on the ranks and units of its communicators and in channels of its own. */
export function inSequence(
  collective: Collective,
  { units }: Composition,
  levels: readonly ChosenLevel[],
  label: string,
): Schedule {
  const { counts: _, ...target } = collective;
  const perUnit = messageChunks(collective) / units;
  let channels = 0;
  const parts = levels.map(({ choices }) => {
    const placements = choices.flatMap(({ schedule, communicators }) =>
      communicators.map((communicator) => ({
        schedule,
        members: communicator.members,
        slots: slotsOf(communicator, perUnit),
        starts: communicator.counts && startsOf(communicator.counts, perUnit, schedule.collective.chunks),
      })),
    );
    const part = place(placements, { name: label, collective: target }, channels);
    channels = 1 + part.steps.channel.reduce((most, channel) => Math.max(most, channel), channels);
    return part;
  });
  return compose(parts, { name: label, collective: target });
}

/** The chunks of the message that the communicator's units are. */
function slotsOf({ units }: Communicator, perUnit: number): Int32Array {
  return Int32Array.from({ length: units.length * perUnit }, (_, slot) => {
    return units[Math.floor(slot / perUnit)] * perUnit + (slot % perUnit);
  });
}
