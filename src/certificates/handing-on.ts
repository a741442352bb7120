/**
 * Theorem (docs/bounds.md, *Handing on*). All other ranks need M bytes from the root; B, B′, a, a′, λ, δ and F are as in relay.ts. Let A be a times
 * the bandwidth of the root's slowest slot, and A′ be a′ times that of the slowest slot in F, both in bytes. If a chip of F gets D bytes directly
 * from the root, the other R = M − D bytes are relayed to it in s turns, for some s ≥ 1: in each turn, messages of the root with some of these bytes
 * end, and then messages into the chip begin. At the last end of a message of the root in turn k,
 *
 *   T − δ ≥ (P_k + kA)/B + (R − P_{k−1} + (s − k + 1)A′)/B′ + D/max(B, B′) + ℓ,
 *
 * where P_k is the number of bytes in the first k turns, P_s = R, and ℓ is min(λ, a + a′) times the share of the slowest slot in B or B′ (the smaller
 * share), or 0 if D = 0. With ρ = B/B′ ≤ 1 (otherwise read the plan backwards in time) this makes P_s less than R, a contradiction, if
 *
 *   T < δ + M/B′ + ℓ + (R/B + Σ ρʲ((s − j)A/B + (j + 1)A′/B′)) / Σ ρʲ,   sums over j < s.
 *
 * Only some s need checking, since Σ ρʲ < 1/(1 − ρ), and the weighted mean of (s − j)A/B + (j + 1)A′/B′ grows with s.
 */
import type { Witnesses } from '../ir/certificate.ts';
import type { Seconds } from '../ir/units.ts';
import { relayed } from './direct.ts';
import { sumOf } from './machine.ts';
import type { Question } from './question.ts';

/** Whether `done` seconds are refuted for every number of turns, both with the max bytes that a chip can get directly and with none. */
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
