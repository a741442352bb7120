/**
 * Theorem (docs/bounds.md, *Messages in all*). All messages leave some chip and enter some chip. If any plan sends W > 0 bytes in messages,
 * T ≥ α + W / Σβ, α being the least Σα of any message, over what all chips can send (`out`), or receive.
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
