/**
 * Theorem (docs/bounds.md, *Straight or twice*). Of an alltoall on chips with slots, what rank s has for rank t, m bytes, goes straight in a message
 * of its own, which uses up aα + m of what slots carry, with the slowest slot's bandwidth a of its sender and the least Σα between the
 * two, or is sent twice: T ≥ Σ min(aα + m, 2m) / ΣB, over all pairs and all slots. The same holds of slots of receivers (`in`).
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
