/**
 * Theorem (docs/bounds.md, *Lengths*, scans). Give each link a length. A value is of class m if m is the last rank whose contribution it holds. In an
 * exscan, the contribution of rank m reaches rank m + 1 in values of class m, which together travel at least dist(m, m + 1). In a scan, let v(m) be
 * the rank at which the contributions of m − 1 and m are first combined. Values of class m travel from m to v(m), back to m, and from some rank u on
 * this round trip to v(m + 1). The min of the total length, over all v and u, is what each byte of M travels at least.
 */

import type { Witnesses } from '../ir/certificate.ts';
import { itemAt, matrixAt } from '../ir/indexing.ts';
import type { Seconds } from '../ir/units.ts';
import { timeForDistance } from './lengths.ts';
import { sumOf } from './machine.ts';
import { everyone, type Question } from './question.ts';

export function provedByStretches({ lengths }: Witnesses['stretches'], question: Question): Seconds {
  const { kind } = question.collective;
  if (kind !== 'scan' && kind !== 'exscan') return 0;
  return timeForDistance(lengthOfScan(lengths, question) * question.size, lengths, question);
}

/** The min total length that the values of each byte of M travel. */
export function lengthOfScan(lengths: readonly number[], question: Question): number {
  const { collective, machine, work } = question;
  const { kind, ranks } = collective;
  const ways = machine.chips.map((chip) => machine.ways([chip], 'out', lengths));
  const far = ways.map((way) => machine.chips.map((chip) => itemAt(way, chip)));
  const inRow = far.slice(1).map((_, rank) => matrixAt(far, rank, rank + 1));
  if (kind === 'exscan') return sumOf(inRow);
  work.spend(2 * ranks ** 3);
  const all = everyone(question);
  let least = all.map((meet) => (meet === 0 ? 0 : Number.POSITIVE_INFINITY));
  for (const rank of all) {
    const leaving = all.map((by) => {
      const round = (meet: number) =>
        Math.min(
          matrixAt(far, rank, by) + matrixAt(far, by, meet) + matrixAt(far, meet, rank),
          matrixAt(far, rank, meet) + matrixAt(far, meet, by) + matrixAt(far, by, rank),
        );
      return all.reduce((most, meet) => Math.min(most, itemAt(least, meet) + round(meet)), Number.POSITIVE_INFINITY);
    });
    const onTo = (next: number) =>
      all.reduce((most, by) => Math.min(most, itemAt(leaving, by) + matrixAt(far, by, next)), Number.POSITIVE_INFINITY);
    least = rank === ranks - 1 ? leaving : all.map(onTo);
  }
  return Math.min(...least);
}
