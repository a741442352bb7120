/**
 * Theorem (docs/bounds.md, *Reductions that stop links*). Let no chip send or receive while it reduces. With T′ = T − α (of a reduce, T less the
 * least Σα from the chip to the root, if that is more), a chip that reduces for c seconds sends B·(T′ − c) bytes at most, and c is no more
 * than c_max(T′): what is left of T′ by the bytes that it must send itself, or receive, and by receiving what it reduces. If what it reduces
 * must be sent on, that holds with T″ = T′ − α. So for a price p of a byte reduced, in bytes sent, what the chip does is worth
 *
 *   v(T′) = B·T′ + max(0, pγ − B)·c_max(T′) at most, or max(B·T′, v(T″)) if what it reduces must be sent on,
 *
 * as it must be by all but the root of a reduce, all but the last rank of scans, and all but any one rank of an allreduce. With W bytes sent in all
 * and R reduced, W + pR is no more than all of this. B = 0 for chips that send nothing of their own, if all of W is some chip's own. The
 * same holds of what chips receive (`in`).
 */

import type { Witnesses } from '../ir/certificate.ts';
import { itemAt } from '../ir/indexing.ts';
import type { Seconds } from '../ir/units.ts';
import { keepers, messagesInAll, ownValues, reductionsInAll } from './demands.ts';
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
  const engines = machine.chips.map((chip) => itemAt(machine.topology.nodes, chip).reduce);
  if (sent === 0 || reduced === 0 || engines.some((engine) => engine === undefined || engine.overlap)) return false;
  const values = ownValues(question);
  const ownOnly = sumOf(values[direction]) * size >= sent * (1 - 1e-12);
  const first = machine.nearestPair();
  const toRoot = collective.kind === 'reduce' ? machine.latencies([collective.root], 'in') : machine.chips.map(() => 0);
  const worth = everyone(question).map((rank) => {
    const throughput = engines[rank]?.throughput ?? 0;
    const bandwidth = { out: machine.capacity(rank, 'out'), in: machine.capacity(rank, 'in') };
    const carries = ownOnly && values[direction][rank] === 0 ? 0 : bandwidth[direction];
    const within = (time: Seconds): number => {
      const free = (way: 'out' | 'in') => time - (itemAt(values[way], rank) * size) / bandwidth[way];
      const reducing = Math.max(0, Math.min(free('out'), free('in'), time / (1 + throughput / bandwidth.in)));
      return carries * time + Math.max(0, price * throughput - carries) * reducing;
    };
    const time = Math.max(0, done - Math.max(first, itemAt(toRoot, rank)));
    return { kept: within(time), sentOn: Math.max(carries * time, within(Math.max(0, time - first))) };
  });
  const needed = (sent + price * reduced) * (1 + 1e-12);
  const kept = sumOf(worth.map((of) => of.kept));
  const sentOn = sumOf(worth.map((of) => of.sentOn));
  // Whoever keeps what it reduces, the inequality holds: it is enough that it fails for one.
  const inAll = keepers(question)?.map((rank) => sentOn - itemAt(worth, rank).sentOn + itemAt(worth, rank).kept) ?? [
    kept,
  ];
  return Number.isFinite(needed) && inAll.some((sum) => sum <= needed);
}
