/**
 * Theorem (docs/bounds.md, *Gathering*). In an allgather, gather or alltoall (`in`; with time reversed in a reducescatter, scatter or alltoall,
 * `out`) a rank receives W bytes, of which every other chip holds at most m at the start. If all chips have slots, of bandwidth at most B together on
 * any chip and at least B/r each, T ≥ ⌈log₁₊ᵣ(1 + W/m)⌉·α + W/B, with the min Σα of any message as α.
 */
import type { Witnesses } from '../ir/certificate.ts';
import type { Bytes, Seconds } from '../ir/units.ts';
import { valuesBetween, valuesBySource } from './demands.ts';
import { sumOf } from './machine.ts';
import { allBut, type Question } from './question.ts';

export function provedByGathering(witness: Witnesses['gathering'], question: Question): Seconds {
  const { machine } = question;
  const all = gathered(witness, question);
  const slots = machine.allSlots(witness.direction);
  if (all === undefined || slots === undefined) return 0;
  const together = Math.max(...slots.map(sumOf));
  const ratio = together / Math.min(...slots.map((of) => Math.min(...of)));
  let rounds = 0;
  for (let reached = 1; reached < (1 + all.parts) * (1 - 1e-9); reached *= 1 + ratio) rounds++;
  return rounds * machine.nearestPair() + all.bytes / together;
}

/** W (`bytes`) and W/m (`parts`); undefined for collectives that the theorem does not cover, and if W is 0. */
export function gathered(
  { direction, rank }: Witnesses['gathering'],
  question: Question,
): { readonly bytes: Bytes; readonly parts: number } | undefined {
  const { collective, size } = question;
  const kinds = direction === 'in' ? ['allgather', 'gather', 'alltoall'] : ['reducescatter', 'scatter', 'alltoall'];
  if (!kinds.includes(collective.kind)) return undefined;
  const parts =
    direction === 'in'
      ? [...valuesBySource(question, rank).values()]
      : allBut(rank, question).map((other) => valuesBetween(question, new Set([rank]), [other]));
  const whole = sumOf(parts);
  return whole === 0 ? undefined : { bytes: whole * size, parts: whole / Math.max(...parts) };
}
