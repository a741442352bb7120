/**
 * Theorem (docs/bounds.md, *Overheads*). If rank `to` needs something of rank `from`, a first message leaves `from` and a last one comes to `to`: a send and a
 * receive take an overhead each, beside the least Σα. If what `to` needs of it is combined with what `to` has itself, a reduction takes one, too.
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
