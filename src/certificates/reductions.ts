/**
 * Theorem (docs/bounds.md, *Reductions*). A result of n contributions takes n − 1 reductions; all reductions together have R bytes. No chip can
 * reduce before a message has reached it, which takes at least δ, the min Σα from any other chip. So R ≤ Σ γ·max(0, T − δ) over all chips, if each of
 * them has a reduce engine, of throughput γ.
 */
import { itemAt } from '../ir/indexing.ts';
import type { Seconds } from '../ir/units.ts';
import { reductionsInAll } from './demands.ts';
import { allBut, everyone, type Question } from './question.ts';
import { checkedTimeToFill } from './time-to-fill.ts';

export function provedByReductions(question: Question): Seconds {
  const { machine, size } = question;
  const engines = everyone(question).map((rank) => ({
    rate: itemAt(machine.topology.nodes, itemAt(machine.chips, rank)).reduce?.throughput ?? Number.POSITIVE_INFINITY,
    idle: itemAt(machine.latencies(allBut(rank, question)), rank),
  }));
  if (engines.some(({ rate }) => rate === Number.POSITIVE_INFINITY)) return 0;
  return checkedTimeToFill(engines, reductionsInAll(question) * size);
}
