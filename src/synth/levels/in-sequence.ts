/** Combines levels and their algorithms into one schedule. */
import { type Collective, collectiveFacts, messageChunks } from '../../ir/collective.ts';
import type { Schedule } from '../../ir/schedule.ts';
import { greatestCommonDivisor, leastCommonMultiple } from '../../ir/whole-numbers.ts';
import { compose, place } from '../../passes/index.ts';
import { type Choice, startsOf } from './algorithms.ts';
import type { Communicator, Composition, Level } from './composition.ts';

/** A level with the algorithms chosen for it. */
export interface ChosenLevel {
  readonly where: Level['where'];
  readonly choices: readonly Choice[];
}

/** The minimum C for which every algorithm's chunks are whole numbers of the message's chunks. */
export function minChunksForLevels(
  collective: Collective,
  { units }: Composition,
  levels: readonly ChosenLevel[],
): number {
  const needs = levels.flatMap(({ choices }) => choices.flatMap(chunksPerUnit));
  const perUnit = needs.reduce(leastCommonMultiple, 1);
  return collectiveFacts[collective.kind].sharded ? (perUnit * units) / collective.ranks : perUnit * units;
}

/** Number of chunks that a unit must be divided into, for each shard of a communicator (they are equal). */
function chunksPerUnit({ schedule, communicators: [{ units, counts }] }: Choice): number[] {
  const [wanted, has] =
    counts === undefined ? [messageChunks(schedule.collective), [units.length]] : [schedule.collective.chunks, counts];
  return has.filter((count) => count > 0).map((count) => wanted / greatestCommonDivisor(wanted, count));
}

/** Runs the levels one after the other, each on the ranks and units of its communicators and on channels of its own. */
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

/** The chunks of the message that form the communicator's units. */
function slotsOf({ units }: Communicator, perUnit: number): Int32Array {
  return Int32Array.from({ length: units.length * perUnit }, (_, slot) => {
    return units[Math.floor(slot / perUnit)] * perUnit + (slot % perUnit);
  });
}
