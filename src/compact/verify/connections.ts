/**
 * Messages of a program that all ranks run shifted. What rank 0 sends to offset p, rank p receives from rank 0, which is offset
 * ⊖p as rank p sees it. Rank p runs the same program, so the receives that belong to the sends to p are those from ⊖p: the k-th of
 * the ones meets the k-th of the others, on every rank.
 */
import { isReceive, isSend, operationCount } from '../../ir/plan.ts';
import { Connections, type PlanIndex } from '../../ir/plan-index.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';

/** Groups sends and receives by (offset of the receiver, channel); peers must be in range. */
export function connectShifted({ plan }: PlanIndex, group: TranslationGroup): Connections {
  const { ops } = plan;
  const of = new Int32Array(operationCount(plan)).fill(-1);
  const numbers = new Map<string, number>();
  for (let o = 0; o < of.length; o++) {
    if (!isSend(plan, o) && !isReceive(plan, o)) continue;
    const offset = isSend(plan, o) ? ops.peer[o] : group.negate(ops.peer[o]);
    const key = `${offset} ${ops.channel[o]}`;
    const known = numbers.get(key);
    of[o] = known ?? numbers.size;
    if (known === undefined) numbers.set(key, of[o]);
  }
  return new Connections(ops.kind, of, numbers.size);
}
