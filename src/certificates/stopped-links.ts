/**
 * Theorem (docs/bounds.md, *Reductions that stop links*). No chip sends or receives while it reduces. Let T′ = T − α, where α is the min Σα of any
 * message; in a reduce, the min Σα from the chip to the root takes its place if that is more. A chip that reduces for c seconds sends at most
 * B·(T′ − c) bytes. It reduces for at most c_max(T′): the part of T′ that is left by the bytes that it must send or receive in any plan, and by
 * receiving what it reduces. If the chip must send on what it reduces, T″ = T′ − α takes the place of T′. Let one reduced byte count as p sent bytes.
 * What the chip does then counts at most
 *
 *   v(T′) = B·T′ + max(0, pγ − B)·c_max(T′), or max(B·T′, v(T″)) if it must send on what it reduces.
 *
 * It must do so unless it is the root of a reduce or the last rank of a scan; in an allreduce all ranks but one, which may be any, must. If all plans
 * send at least W bytes and reduce at least R, W + pR is at most the sum over all chips. If W is made up of data that chips must send of their own,
 * B = 0 for chips that have no such data. The same holds for what chips receive (`in`).
 */

import type { Witnesses } from '../ir/certificate.ts';
import { itemAt } from '../ir/indexing.ts';
import type { Seconds } from '../ir/units.ts';
import { keepers, messagesInAll, minVolumes, reductionsInAll } from './demands.ts';
import { sumOf } from './machine.ts';
import { everyone, type Question } from './question.ts';

/** Whether `done` seconds are refuted: in less time, the chips cannot send and reduce all bytes. */
export function provesStoppedLinks(
  done: Seconds,
  { direction, price }: Witnesses['stopped-links'],
  question: Question,
): boolean {
  const { collective, machine, size } = question;
  const [sent, reduced] = [messagesInAll(question) * size, reductionsInAll(question) * size];
  const engines = machine.chips.map((chip) => itemAt(machine.topology.nodes, chip).reduce);
  if (sent === 0 || reduced === 0 || engines.some((engine) => engine === undefined || engine.overlap)) return false;
  const values = minVolumes(question);
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
  // The inequality must hold for each rank that may keep what it reduces, so that one violation is enough to refute the time.
  const inAll = keepers(question)?.map((rank) => sentOn - itemAt(worth, rank).sentOn + itemAt(worth, rank).kept) ?? [
    kept,
  ];
  return Number.isFinite(needed) && inAll.some((sum) => sum <= needed);
}
