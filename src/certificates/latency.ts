/**
 * Theorem (docs/bounds.md, *Latency*). If rank `to` needs something of rank `from`, T is no less than the least Σα of the ways between
 * them. In a barrier on channels that hold few messages news also comes back through a full channel: a message has arrived when it is taken,
 * which tells its sender, and without a rendezvous another one arrives later; so one message or two are proved there, at most.
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
