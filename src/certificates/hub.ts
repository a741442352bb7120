/** What theorems about a hub, of which all others need something, ask about it: spreading.ts and families.ts. */
import type { Direction } from '../ir/certificate.ts';
import type { Bytes, Seconds } from '../ir/units.ts';
import { inputsNeededBy, valuesBetween } from './demands.ts';
import { type CheckedMachine, sumOf } from './machine.ts';
import { allBut, type Question } from './question.ts';

/** The least that any other rank needs of the hub, or the hub of it; undefined if one of them needs nothing, or learns from what it sends. */
export function minHubBytes(hub: number, direction: Direction, question: Question): Bytes | undefined {
  const { collective, machine, size } = question;
  if (collective.kind === 'barrier' && machine.topology.inflight !== undefined) return undefined;
  const pairs = allBut(hub, question).map((other): readonly [from: number, to: number] =>
    direction === 'out' ? [hub, other] : [other, hub],
  );
  if (!pairs.every(([from, to]) => inputsNeededBy(question, to).has(from))) return undefined;
  return Math.min(...pairs.map(([from, to]) => valuesBetween(question, new Set([from]), [to]))) * size;
}

/** Messages that a chip can have under way at most, if that has a limit. */
export function maxInFlight(machine: CheckedMachine, direction: Direction): number | undefined {
  const slots = machine.allSlots(direction);
  return slots === undefined ? undefined : Math.max(...slots.map((of) => of.length));
}

/** How long the last rank's slots take for so many bytes, if all have slots. */
export function lastBytes(bytes: Bytes, direction: Direction, machine: CheckedMachine): Seconds | undefined {
  const slots = machine.allSlots(direction === 'out' ? 'in' : 'out');
  return slots === undefined ? undefined : bytes / Math.max(...slots.map(sumOf));
}
