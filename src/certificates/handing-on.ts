/**
 * Theorem (docs/bounds.md, *Handing on*). All other ranks need M bytes of the root. With the slots of *Relays*, B, B′, a, a′, λ and δ, let A be a of
 * the root's slowest slot in bytes, A′ be a′ of the slowest of chips F. If one of F gets D bytes straight from the root, R = M − D are handed
 * on in s turns, for some s ≥ 1: the root ends messages with some of them, then messages with some begin for the chip. By its last end in turn k
 *
 *   T − δ ≥ (P_k + kA)/B + (R − P_{k−1} + (s − k + 1)A′)/B′ + D/max(B, B′) + ℓ,
 *
 * P_k being the bytes of the first k turns, all R at last, and ℓ = min(λ, a + a′) of the part of B or B′ that the slowest slot is, or 0 if D is.
 * With ρ = B/B′ ≤ 1 (else backwards in time) P_s is less than R for T < δ + M/B′ + ℓ + (R/B + Σ ρʲ((s − j)A/B + (j + 1)A′/B′)) / Σ ρʲ over j < s,
 * where Σ ρʲ < 1/(1 − ρ), and the mean of (s − j)A/B + (j + 1)A′/B′ grows with s.
 */
import type { Witnesses } from '../ir/certificate.ts';
import type { Seconds } from '../ir/units.ts';
import { relayed } from './direct.ts';
import { sumOf } from './machine.ts';
import type { Question } from './question.ts';

/** Whether less time than this is too little for any number of turns, with the most that is sent straight and with nothing. */
export function provesHandingOn(done: Seconds, witness: Witnesses['handing-on'], question: Question): boolean {
  const { size, work } = question;
  const found = relayed(witness, question);
  if (found === undefined) return false;
  const { first, last, apart, mostStraight } = found;
  const [sent, taken] = [sumOf(first.slots), Math.max(...last.slots.map(sumOf))];
  const [slowest, slowestLast] = [Math.min(...first.slots), Math.min(...last.slots.flat())];
  const root = { rate: sent, perMessage: (slowest * first.latency) / sent };
  const chip = { rate: taken, perMessage: (slowestLast * last.latency) / taken };
  const [slow, fast] = sent <= taken ? [root, chip] : [chip, root];
  const held = (first.latency + last.latency + Math.min(0, apart)) * Math.min(slowest / sent, slowestLast / taken);
  if (!(slow.perMessage > 0)) return false;
  const direct = mostStraight(done);
  return isTooShort(size, 0) && (direct === 0 || (direct < size && isTooShort(size - direct, held)));

  function isTooShort(handedOn: number, straight: Seconds): boolean {
    const left = done - Math.max(0, apart) - size / fast.rate - straight;
    const ratio = slow.rate / fast.rate;
    const bytes = handedOn / slow.rate;
    let [power, powers, sum] = [1, 0, 0];
    for (let turns = 1; bytes * (1 - ratio) + sum / Math.max(1, powers) <= left; turns++) {
      work.spend(1);
      powers += power;
      sum += powers * slow.perMessage + turns * power * fast.perMessage;
      if (left * powers > bytes + sum) return false;
      power *= ratio;
    }
    return true;
  }
}
