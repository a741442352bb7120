/**
 * Theorem (docs/bounds.md, *Overheads*). If rank `to` needs data from rank `from`, some message is the first to leave `from` and some message the
 * last to reach `to`. The send of the one and the receive of the other each take the overhead of a lane, besides the min Σα between the ranks. If the
 * result at `to` combines this data with input of its own, a reduction adds its overhead.
 */

import type { Witnesses } from '../ir/certificate.ts';
import { itemAt } from '../ir/indexing.ts';
import { fastestPace } from '../ir/lanes.ts';
import type { Seconds } from '../ir/units.ts';
import { inputsNeededBy } from './demands.ts';
import type { Question } from './question.ts';

export function provedByOverheads({ from, to }: Witnesses['overheads'], question: Question): Seconds {
  const { collective, machine } = question;
  const { lane } = machine.topology;
  if (lane === undefined || collective.kind === 'barrier' || from === to) return 0;
  if (!inputsNeededBy(question, to).has(from)) return 0;
  const reduces = ['allreduce', 'reducescatter', 'reduce', 'scan'].includes(collective.kind);
  return 2 * fastestPace(lane).overhead + itemAt(machine.latencies([from]), to) + (reduces ? lane.local.overhead : 0);
}
