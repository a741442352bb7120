/**
 * Theorem (docs/bounds.md, *Messages in all*). Every message leaves some chip and enters some chip. If every plan sends at least W > 0 bytes in
 * messages, T ≥ α + W / Σβ, where α is the min Σα of any message and Σβ the bandwidth with which all chips together can send (`out`) or receive
 * (`in`).
 */
import type { Witnesses } from '../ir/certificate.ts';
import type { Seconds } from '../ir/units.ts';
import { messagesInAll } from './demands.ts';
import { sumOf } from './machine.ts';
import { everyone, type Question } from './question.ts';

export function provedByMessages({ direction }: Witnesses['messages'], question: Question): Seconds {
  const { machine, size } = question;
  const bytes = messagesInAll(question) * size;
  const capacities = everyone(question).map((rank) => machine.capacity(rank, direction));
  return bytes === 0 ? 0 : machine.nearestPair() + bytes / sumOf(capacities);
}
