/**
 * Theorem (docs/bounds.md, *Rows*). Consider a collective as in gathering.ts, on a ring or line that consists of chips and blocking links only. A
 * rank takes in W bytes over its k links, at most m of them from any one other rank. At least W/k bytes enter over one of the links, behind which the
 * other chips stand in a line and contribute at most m each. So T ≥ ⌈W/(km)⌉·α + W/(kβ), with the min latency α and the max bandwidth β of the links.
 */

import type { Witnesses } from '../ir/certificate.ts';
import { itemAt } from '../ir/indexing.ts';
import type { Seconds } from '../ir/units.ts';
import { gathered } from './gathering.ts';
import type { Question } from './question.ts';

export function provedByRow(witness: Witnesses['row'], question: Question): Seconds {
  const { machine } = question;
  const { links, chips, topology } = machine;
  const all = gathered(witness, question);
  if (all === undefined || topology.nodes.length !== chips.length) return 0;
  if (links.some((link) => link.occupancy !== 'blocking')) return 0;
  const ends = (node: number, direction: 'out' | 'in') =>
    machine.linksAt(node, direction).map((link) => (direction === 'out' ? link.to : link.from));
  const isInRow = (_: unknown, node: number) => {
    const [out, into] = [ends(node, 'out'), ends(node, 'in')];
    return new Set([...out, ...into]).size <= 2 && new Set(out).size === out.length;
  };
  const ways = machine.linksAt(itemAt(chips, witness.rank), witness.direction).length;
  if (ways === 0 || !topology.nodes.every(isInRow)) return 0;
  const latency = links.reduce((least, link) => Math.min(least, link.latency), Number.POSITIVE_INFINITY);
  const bandwidth = links.reduce((most, link) => Math.max(most, link.bandwidth), 0);
  return Math.ceil((all.parts / ways) * (1 - 1e-9)) * latency + all.bytes / ways / bandwidth;
}
