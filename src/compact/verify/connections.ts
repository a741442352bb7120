/**
 * Messages of a program that all ranks run shifted. What rank 0 sends to offset p, rank p receives from rank 0, which is offset
 * ⊖p as rank p sees it. Rank p runs the same program, so the receives that belong to the sends to p are those from ⊖p: the k-th of
 * the ones meets the k-th of the others, on every rank.
 */
import { operationCount } from '../../ir/plan.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';
import { type Connections, partners } from '../../verify/checks/connections.ts';
import { isReceive, isSend, type PlanIndex } from '../../verify/plan-index.ts';

/** Groups sends and receives by (offset of the receiver, channel); peers must be in range. */
export function connectShifted(index: PlanIndex, group: TranslationGroup): Connections {
  const { plan } = index;
  const { ops } = plan;
  const total = operationCount(plan);
  const of = new Int32Array(total).fill(-1);
  const numbers = new Map<string, number>();
  for (let o = 0; o < total; o++) {
    if (!isSend(plan, o) && !isReceive(plan, o)) continue;
    const offset = isSend(plan, o) ? ops.peer[o] : group.negate(ops.peer[o]);
    const key = `${offset} ${ops.channel[o]}`;
    const known = numbers.get(key);
    of[o] = known ?? numbers.size;
    if (known === undefined) numbers.set(key, of[o]);
  }
  const sends = listBy(of, numbers.size, (o) => isSend(plan, o));
  const receives = listBy(of, numbers.size, (o) => isReceive(plan, o));
  const ordinal = new Int32Array(total);
  for (const { list, first } of [sends, receives]) {
    for (let c = 0; c < numbers.size; c++)
      for (let at = first[c]; at < first[c + 1]; at++) ordinal[list[at]] = at - first[c];
  }
  return {
    of,
    ordinal,
    sends: sends.list,
    firstSend: sends.first,
    receives: receives.list,
    firstReceive: receives.first,
    partner: partners(total, sends.list, sends.first, receives.list, receives.first),
  };
}

/** The operations of one direction by connection, in program order; those of c are `list[first[c] … first[c + 1] − 1]`. */
function listBy(of: Int32Array, count: number, belongs: (operation: number) => boolean) {
  const first = new Int32Array(count + 1);
  for (let o = 0; o < of.length; o++) if (of[o] >= 0 && belongs(o)) first[of[o] + 1]++;
  for (let c = 0; c < count; c++) first[c + 1] += first[c];
  const next = first.slice();
  const list = new Int32Array(first[count]);
  for (let o = 0; o < of.length; o++) if (of[o] >= 0 && belongs(o)) list[next[of[o]]++] = o;
  return { list, first };
}
