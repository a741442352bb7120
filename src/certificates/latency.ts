/**
 * Theorem (docs/bounds.md, *Latency*). If rank `to` needs data from rank `from`, T is at least the min Σα of the paths between them. In a barrier on
 * connections of limited depth, a sender also learns something when a receive makes room on a full connection, without a message in return. There the
 * bound is at most the min Σα of one message with rendezvous (depth 0), and of two messages otherwise, since room is made only by a message that
 * arrives.
 */

import type { Witnesses } from '../ir/certificate.ts';
import { itemAt } from '../ir/indexing.ts';
import type { Seconds } from '../ir/units.ts';
import { inputsNeededBy } from './demands.ts';
import type { Question } from './question.ts';

export function provedByLatency({ from, to }: Witnesses['latency'], question: Question): Seconds {
  const { collective, machine } = question;
  if (from === to || !inputsNeededBy(question, to).has(from)) return 0;
  const distance = itemAt(machine.latencies([from]), to);
  const { inflight } = machine.topology;
  if (collective.kind !== 'barrier' || inflight === undefined) return distance;
  return Math.min(distance, (inflight === 0 ? 1 : 2) * machine.nearestPair());
}
