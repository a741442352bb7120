/**
 * Theorem (docs/bounds.md, *Reductions that stop links*). Let no chip send or receive while it reduces. With T′ = T − α (of a reduce, T less the
 * least Σα from the chip to the root, if that is more), a chip that reduces for c seconds sends B·(T′ − c) bytes at most, and c is no more
 * than c_max: what is left of T′ by the bytes that it must send itself, or receive, and by receiving what it reduces. Let W bytes be sent in
 * all and R be reduced. For any price p ≥ 0, W + pR ≤ Σ B·T′ + Σ max(0, pγ − B)·c_max; B = 0 for chips that send nothing of their own, if
 * all of W is some chip's own. The same holds of what chips receive (`in`).
 */
import type { Witnesses } from '../../ir/certificate.ts';
import type { Seconds } from '../../ir/units.ts';
import { messagesInAll, ownValues, reductionsInAll } from './demands.ts';
import { sumOf } from './machine.ts';
import { everyone, type Question } from './question.ts';

/** Whether a plan that takes less than this would leave its chips too little time. */
export function provesStoppedLinks(
  done: Seconds,
  { direction, price }: Witnesses['stopped-links'],
  question: Question,
): boolean {
  const { collective, machine, size } = question;
  const [sent, reduced] = [messagesInAll(question) * size, reductionsInAll(question) * size];
  const engines = machine.chips.map((chip) => machine.topology.nodes[chip].reduce);
  if (sent === 0 || reduced === 0 || engines.some((engine) => engine === undefined || engine.overlap)) return false;
  const values = ownValues(question);
  const ownOnly = sumOf(values[direction]) * size >= sent * (1 - 1e-12);
  const first = machine.nearestPair();
  const toRoot = collective.kind === 'reduce' ? machine.latencies([collective.root], 'in') : machine.chips.map(() => 0);
  const room = everyone(question).map((rank) => {
    const throughput = engines[rank]?.throughput ?? 0;
    const bandwidth = { out: machine.capacity(rank, 'out'), in: machine.capacity(rank, 'in') };
    const time = Math.max(0, done - Math.max(first, toRoot[rank]));
    const carries = ownOnly && values[direction][rank] === 0 ? 0 : bandwidth[direction];
    const free = (way: 'out' | 'in') =>
      values[way][rank] === 0 ? time : time - (values[way][rank] * size) / bandwidth[way];
    const withReceiving = time / (1 + throughput / bandwidth.in);
    const reducing = Math.max(0, Math.min(free('out'), free('in'), withReceiving));
    return carries * time + Math.max(0, price * throughput - carries) * reducing;
  });
  const needed = (sent + price * reduced) * (1 + 1e-12);
  return Number.isFinite(needed) && sumOf(room) <= needed;
}
