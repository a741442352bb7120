/** What chips can get straight from the root of a broadcast, and what brings it into their part of the machine (docs/bounds.md, *Relays*). */

import type { Witnesses } from '../ir/certificate.ts';
import { itemAt } from '../ir/indexing.ts';
import type { Bytes, BytesPerSecond, Seconds } from '../ir/units.ts';
import { isForAll } from './demands.ts';
import { type CheckedMachine, sumOf } from './machine.ts';
import { allBut, type Question } from './question.ts';

/**
 * What both theorems on relays need of the root and the chips F: slots of the root and of each of F, the least Σα of a message in them, λ − a − a′,
 * and D by some time. Undefined where they say nothing: F is empty or in several parts of the machine, a chip has no slots, or others need no M bytes.
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
 * The root's slots, and the least Σα of a message in them. Of a part of the machine that only the root joins to the rest, the links to there:
 * others pass the root on their way, too, so that its ports do not count. Undefined where messages without limit can be under way.
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
 * D, the most bytes that one of these chips gets in messages straight from the root by this time, if it gets fewest. Each of them gets as many:
 * they take the root's slots for the least Σα of each as well, and if none is next to the root, they pass chips that are and need M in
 * messages to themselves.
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

/** Chips that a message reaches first over links, switches and chips without rank, which only pass messages on, too. */
function chipsNextTo(node: number, machine: CheckedMachine): readonly number[] {
  const isChip = new Set(machine.chips);
  const reached = new Set([node]);
  for (const near of reached) {
    if (near !== node && isChip.has(near)) continue;
    for (const { to } of machine.linksAt(near, 'out')) reached.add(to);
  }
  return [...reached].filter((other) => other !== node && isChip.has(other));
}
