/**
 * Quantities that the theorems on spreading share (spreading.ts, families.ts). Their hub is a rank from which all others need data (`out`), or that
 * needs data from all others (`in`).
 */
import type { Direction } from '../ir/certificate.ts';
import type { Bytes, Seconds } from '../ir/units.ts';
import { inputsNeededBy, valuesBetween } from './demands.ts';
import { type CheckedMachine, sumOf } from './machine.ts';
import { allBut, type Question } from './question.ts';

/**
 * The min, over all other ranks, of the bytes that the rank needs from the hub (`out`) or the hub from the rank (`in`). Undefined if a rank needs
 * nothing, and for barriers on connections of limited depth: there a sender learns something without any message, when its connection has room again.
 */
export function minHubBytes(hub: number, direction: Direction, question: Question): Bytes | undefined {
  const { collective, machine, size } = question;
  if (collective.kind === 'barrier' && machine.topology.inflight !== undefined) return undefined;
  const pairs = allBut(hub, question).map((other): readonly [from: number, to: number] =>
    direction === 'out' ? [hub, other] : [other, hub],
  );
  if (!pairs.every(([from, to]) => inputsNeededBy(question, to).has(from))) return undefined;
  return Math.min(...pairs.map(([from, to]) => valuesBetween(question, new Set([from]), [to]))) * size;
}

/** The largest number of slots of any chip: as many messages can it have in flight. Undefined if some chip can have any number. */
export function maxInFlight(machine: CheckedMachine, direction: Direction): number | undefined {
  const slots = machine.allSlots(direction);
  return slots === undefined ? undefined : Math.max(...slots.map((of) => of.length));
}

/**
 * Lower bound on the seconds that the last rank needs to move so many bytes over its slots at the other end of the messages, taking the chip with the
 * most bandwidth. Undefined if some chip has no slots there.
 */
export function lastBytes(bytes: Bytes, direction: Direction, machine: CheckedMachine): Seconds | undefined {
  const slots = machine.allSlots(direction === 'out' ? 'in' : 'out');
  return slots === undefined ? undefined : bytes / Math.max(...slots.map(sumOf));
}
