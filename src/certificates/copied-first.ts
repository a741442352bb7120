/**
 * Theorem (docs/bounds.md, *Copied first*). Where links reach only a fast memory of a chip, a message can begin only when its bytes have been copied
 * there, at the rate c of the chip's copy engine. Let the rank have n slots, of bandwidth B ≤ c together and at most b each, and let A be the min α
 * of a message times the bandwidth of the slowest slot, in bytes. Then K messages that carry W bytes for the first time take a time T with
 *
 *   B·T·Σρʲ ≥ W(ρᴷ + Σρʲ) + A·Σρʲ(K − j) + ρᴷ⁻¹·max(0, (n − 1)(W + KA) − b·T·n(n − 1)/2),   ρ = B/c, sums over j < K.
 *
 * The mean Σρʲ(K − j)/Σρʲ grows with K, so that only some K need checking. The same holds, backwards in time, for what a rank receives and copies
 * out.
 */

import type { Witnesses } from '../ir/certificate.ts';
import { itemAt } from '../ir/indexing.ts';
import type { Seconds } from '../ir/units.ts';
import { minVolumes } from './demands.ts';
import { sumOf } from './machine.ts';
import { allBut, type Question } from './question.ts';

/** Whether `done` seconds are refuted for every number K of messages. */
export function provesCopiedFirst(
  done: Seconds,
  { direction, rank }: Witnesses['copied-first'],
  question: Question,
): boolean {
  const { machine, collective, work } = question;
  const { staging, nodes } = machine.topology;
  const rate = itemAt(nodes, itemAt(machine.chips, rank)).copy?.throughput;
  const slots = machine.slots(rank, direction);
  if (staging === undefined || rate === undefined || slots === undefined || collective.kind === 'custom') return false;
  const together = sumOf(slots);
  const latencies = machine.latencies([rank], direction);
  const perMessage = Math.min(...slots) * Math.min(...allBut(rank, question).map((other) => itemAt(latencies, other)));
  const bytes = itemAt(minVolumes(question)[direction], rank) * question.size;
  if (together > rate || !(perMessage > 0) || bytes === 0) return false;
  const others = slots.length - 1;
  const overlapped = (Math.max(...slots) * done * slots.length * others) / 2;
  const room = together * done;
  let [power, powers, late] = [1, 0, 0];
  for (let messages = 1; bytes + (perMessage * late) / Math.max(1, powers) <= room; messages++) {
    work.spend(1);
    powers += power;
    late += powers;
    const underWay = power * Math.max(0, others * (bytes + messages * perMessage) - overlapped);
    power *= together / rate;
    if (room * powers > bytes * (power + powers) + perMessage * late + underWay) return false;
  }
  return true;
}
