/**
 * Theorem (docs/bounds.md, *Lengths*, allreduce and custom). Take ranks that are nearer to each other than θ, in the nearer direction, for one
 * part. For a result that joins ranks in k(θ) parts, k(θ) − 1 messages go between parts, θ or farther each; of a result that ranks both
 * contribute to and want, as all do in an allreduce, those of the parts of such ranks but one come besides. Summed over all θ and
 * results that share no contribution, that is the bytes × length that messages go at least.
 */

import type { Witnesses } from '../ir/certificate.ts';
import { itemAt } from '../ir/indexing.ts';
import type { Seconds } from '../ir/units.ts';
import { timeForDistance } from './lengths.ts';
import { everyone, type Question } from './question.ts';
import { joinedBy } from './results.ts';

export function provedBySpans({ lengths }: Witnesses['spans'], question: Question): Seconds {
  const { machine, size, work, collective } = question;
  const trees = joinedBy(question);
  if (trees.length === 0) return 0;
  work.spend(10 * collective.ranks ** 2);
  const ways = machine.chips.map((chip) => machine.ways([chip], 'out', lengths));
  const between = (a: number, b: number) =>
    Math.min(itemAt(itemAt(ways, a), itemAt(machine.chips, b)), itemAt(itemAt(ways, b), itemAt(machine.chips, a)));
  const pairs = everyone(question).flatMap((a) =>
    Array.from({ length: a }, (_, b) => ({ a, b, distance: between(a, b) })),
  );
  pairs.sort((x, y) => x.distance - y.distance);
  const part = machine.chips.map((_, rank) => rank);
  let [total, before] = [0, 0];
  for (const { a, b, distance } of pairs) {
    const [kept, gone] = [itemAt(part, a), itemAt(part, b)];
    if (kept === gone) continue;
    for (const { ranks, weight } of distance > before ? trees : []) {
      work.spend(10 * ranks.size);
      const parts = new Set([...ranks].map((rank) => itemAt(part, rank)));
      total += weight * (parts.size - 1) * (distance - before);
    }
    before = distance;
    for (const [rank, at] of part.entries()) if (at === gone) part[rank] = kept;
  }
  return timeForDistance(total * size, lengths, question);
}
