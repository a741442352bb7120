/**
 * Checks a barrier: no rank leaves before every rank has entered. A rank that has completed any operation has entered. So for every pair of ranks,
 * some operation of the one must happen before some operation of the other.
 */

import { CheckFindings } from '../explain/findings.ts';
import type { ExecutedOrder, HappensBefore } from '../order/happens-before.ts';

/** Number of ranks that are traced in one pass, one bit each. */
const word = 32;

export function checkBarrierOrder(happens: HappensBefore, run: ExecutedOrder): CheckFindings {
  const findings = new CheckFindings('wrong-result');
  const ranks = happens.index.plan.buffers.length;
  for (let first = 0; first < ranks; first += word) {
    const wanted = ranks - first >= word ? -1 : 2 ** (ranks - first) - 1;
    const entered = enteredBefore(happens, run, first);
    for (let rank = 0; rank < ranks; rank++) {
      const missing = wanted & ~(entered[rank] | bitOf(rank, first));
      if (missing === 0) continue;
      const absent = first + 31 - Math.clz32(missing & -missing);
      findings.add(() => {
        const why = 'nothing it does waits for that rank';
        return { message: `Rank ${rank} can leave the barrier before rank ${absent} has entered it: ${why}.` };
      });
    }
  }
  return findings;
}

/** Returns for each rank a bit set: which of the ranks `first` … `first` + 31 have certainly entered when all operations of the rank are complete. */
function enteredBefore(happens: HappensBefore, run: ExecutedOrder, first: number): Int32Array {
  const { rankOf, plan } = happens.index;
  const known = new Int32Array(rankOf.length);
  const entered = new Int32Array(plan.buffers.length);
  for (const operation of run.order) {
    let bits = bitOf(rankOf[operation], first);
    const receive = happens.jointEvent(operation);
    if (receive !== -1) bits |= bitOf(rankOf[receive], first);
    const count = happens.predecessors(operation);
    for (let p = 0; p < count; p++) if (happens.gap[p] === 0) bits |= known[happens.before[p]];
    known[operation] = bits;
    entered[rankOf[operation]] |= bits;
  }
  return entered;
}

function bitOf(rank: number, first: number): number {
  return rank >= first && rank < first + word ? 1 << (rank - first) : 0;
}
