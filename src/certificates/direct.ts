/**
 * How many bytes chips can get directly from the root of a broadcast, and the root's slots for messages into their part of the machine
 * (docs/bounds.md, *Relays*).
 */

import type { Witnesses } from '../ir/certificate.ts';
import { itemAt } from '../ir/indexing.ts';
import type { Bytes, BytesPerSecond, Seconds } from '../ir/units.ts';
import { isForAll } from './demands.ts';
import { type CheckedMachine, sumOf } from './machine.ts';
import { allBut, type Question } from './question.ts';

/**
 * What the theorems of relay.ts and handing-on.ts need: the slots of the root (`first`) and of each chip of F (`last`), each with the min Σα of a
 * message in them, λ − a − a′ (`apart`), and D by a given time (`mostStraight`). Undefined if the theorems do not apply: F is empty or in several
 * parts of the machine, a chip has no slots, or a rank does not need M bytes.
 */
export function relayed({ root, direction, chips }: Witnesses['relay'], question: Question) {
  const { size } = question;
  if (chips.length === 0 || chips.includes(root) || size === 0 || !isForAll(root, direction, question))
    return undefined;
  const machine = direction === 'out' ? question.machine : question.machine.turned();
  const part = machine.partAround(itemAt(machine.chips, itemAt(chips, 0)), itemAt(machine.chips, root));
  if (chips.some((rank) => !part.has(itemAt(machine.chips, rank)))) return undefined;
  const first = slotsInto(part, root, machine);
  const last = chips.map((rank) => machine.slots(rank, 'in') ?? []);
  if (first === undefined || last.some((slots) => slots.length === 0)) return undefined;
  const distances = machine.latencies([root]);
  const toLast = Math.min(...chips.map((rank) => itemAt(machine.latencies(allBut(rank, question)), rank)));
  return {
    first,
    last: { slots: last, latency: toLast },
    apart: Math.min(...chips.map((rank) => itemAt(distances, rank))) - first.latency - toLast,
    mostStraight: (done: Seconds) => mostStraight(done, first.slots, chips, root, part, machine, size),
  };
}

/**
 * The root's slots, and the min Σα of a message in them. If only the root joins `part` to the rest of the machine, the slots are its links into that
 * part: messages of other chips pass through the root as well, without using its ports. Undefined if the root can have any number of messages in
 * flight.
 */
function slotsInto(part: ReadonlySet<number>, root: number, machine: CheckedMachine) {
  const { chips, topology } = machine;
  const links = machine.linksAt(itemAt(chips, root), 'out').filter(({ to }) => part.has(to));
  const isPart = part.size < topology.nodes.length - 1;
  const blocking = isPart && links.length > 0 && links.every((link) => link.occupancy === 'blocking');
  const slots = blocking ? links.map((link) => link.bandwidth) : machine.slots(root, 'out');
  const latencies = machine.latencies([root]);
  const reached = latencies.filter((_, rank) => rank !== root && (!blocking || part.has(itemAt(chips, rank))));
  return slots === undefined ? undefined : { slots, latency: Math.min(...reached) };
}

/**
 * D: the max number of bytes that a chip of F gets in messages directly from the root by time `done`, if it is the one that gets fewest. All of F get
 * at least as many, so D is at most an equal share of what the root's slots can carry besides the min Σα of a message to each of them. If no chip of
 * F is next to the root, these messages also pass chips that are, whose links must carry M bytes for those chips themselves as well.
 */
function mostStraight(
  done: Seconds,
  slots: readonly BytesPerSecond[],
  ranks: readonly number[],
  root: number,
  part: ReadonlySet<number>,
  machine: CheckedMachine,
  size: Bytes,
): Bytes {
  const { chips } = machine;
  const latencies = machine.latencies([root]);
  const held = Math.min(...slots) * sumOf(ranks.map((rank) => itemAt(latencies, rank)));
  const sent = Math.max(0, sumOf(slots) * done - held);
  const neighbours = chipsNextTo(itemAt(chips, root), machine).filter((chip) => part.has(chip));
  if (ranks.some((rank) => neighbours.includes(itemAt(chips, rank)))) return sent / ranks.length;
  const [before, beforeAny] = [machine.ways([itemAt(chips, root)]), machine.ways(chips)];
  const passing = neighbours.map((chip) => {
    const carried = machine.linksAt(chip, 'in').map(({ from, latency, bandwidth, occupancy }) => {
      const start = occupancy === 'blocking' ? itemAt(before, from) : itemAt(beforeAny, from);
      return bandwidth * Math.max(0, done - start - latency);
    });
    return Math.max(0, sumOf(carried) - size);
  });
  return Math.min(sent, sumOf(passing)) / ranks.length;
}

/** Chips with a rank that messages from a node can reach without passing another one. Switches, and chips without a rank, only forward messages. */
function chipsNextTo(node: number, machine: CheckedMachine): readonly number[] {
  const isChip = new Set(machine.chips);
  const reached = new Set([node]);
  for (const near of reached) {
    if (near !== node && isChip.has(near)) continue;
    for (const { to } of machine.linksAt(near, 'out')) reached.add(to);
  }
  return [...reached].filter((other) => other !== node && isChip.has(other));
}
