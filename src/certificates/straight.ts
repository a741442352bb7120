/**
 * Theorem (docs/bounds.md, *Straight or twice*). Consider an alltoall on chips with slots. The m bytes that rank s has for rank t are sent directly,
 * in a message of their own, or are relayed and so sent at least twice. A direct message occupies a slot of its sender for α seconds (the min Σα from
 * s to t) besides the time of its bytes, which uses up at least aα + m bytes of slot capacity, a being the bandwidth of the sender's slowest slot.
 * Hence T ≥ Σ min(aα + m, 2m) / ΣB, over all pairs and over the bandwidths B of all slots. The same holds for the slots of receivers (`in`).
 */

import type { Witnesses } from '../ir/certificate.ts';
import { itemAt } from '../ir/indexing.ts';
import type { Seconds } from '../ir/units.ts';
import { valuesBySource } from './demands.ts';
import { sumOf } from './machine.ts';
import { everyone, type Question } from './question.ts';

export function provedByStraight({ direction }: Witnesses['straight'], question: Question): Seconds {
  const { collective, machine, size } = question;
  const slots = machine.allSlots(direction);
  if (collective.kind !== 'alltoall' || slots === undefined) return 0;
  let bytes = 0;
  for (const target of everyone(question)) {
    const latencies = machine.latencies([target], 'in');
    for (const [source, part] of valuesBySource(question, target)) {
      const slowest = Math.min(...itemAt(slots, direction === 'out' ? source : target));
      bytes += Math.min(slowest * itemAt(latencies, source) + part * size, 2 * part * size);
    }
  }
  return bytes / sumOf(slots.map(sumOf));
}
