/**
 * Theorem (docs/bounds.md, *Cuts*). Target ranks need B bytes of distinct values from source ranks, which are other ranks. These bytes cross links
 * (p, q) from a node inside the cut to one outside, or the ports of a source whose chip lies outside or of a target whose chip lies inside. During T,
 * a link carries none of them for a = pre + α + post seconds: pre is the min Σα from a source to p (for a pipelined link, from a source to any chip
 * that sends over the link, and from such a chip to p), and post the min Σα from q to a target.
 * So T is at least the solution of Σ β·max(0, T − a) = B.
 */

import type { Witnesses } from '../ir/certificate.ts';
import { itemAt } from '../ir/indexing.ts';
import type { Seconds } from '../ir/units.ts';
import { valuesBetween } from './demands.ts';
import { allBut, type Question } from './question.ts';
import { soonestSenders } from './senders.ts';
import { type CheckedWorker, checkedTimeToFill } from './time-to-fill.ts';

export function provedByCut({ inside: nodes, sources, targets }: Witnesses['cut'], question: Question): Seconds {
  const { machine, size } = question;
  const [inside, from] = [new Set(nodes), new Set(sources)];
  if (targets.some((rank) => from.has(rank))) return 0;
  const bytes = valuesBetween(question, from, targets) * size;
  if (bytes === 0) return 0;
  const chip = (rank: number) => itemAt(machine.chips, rank);
  const before = machine.ways(sources.map(chip));
  const after = machine.ways(targets.map(chip), 'in');
  const senders = soonestSenders(before, question);
  const crossing = machine.links.filter((link) => inside.has(link.from) && !inside.has(link.to));
  const overLinks = crossing.map((link): CheckedWorker => {
    const pre = link.occupancy === 'blocking' ? itemAt(before, link.from) : senders(link);
    return { rate: link.bandwidth, idle: pre + link.latency + itemAt(after, link.to) };
  });
  const leaving = sources.filter((rank) => !inside.has(chip(rank)));
  const sent = leaving.map((rank) => ({ rate: machine.capacity(rank, 'out'), idle: itemAt(after, chip(rank)) }));
  const entering = targets.filter((rank) => inside.has(chip(rank)));
  const received = entering.map((rank): CheckedWorker => {
    const blocks = machine.linksAt(chip(rank), 'in').every((link) => link.occupancy === 'blocking');
    const idle = blocks ? itemAt(before, chip(rank)) : itemAt(machine.latencies(allBut(rank, question)), rank);
    return { rate: machine.capacity(rank, 'in'), idle };
  });
  return checkedTimeToFill([...overLinks, ...sent, ...received], bytes);
}
