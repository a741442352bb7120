/**
 * Theorem (docs/bounds.md, *Lengths*, allreduce and custom). Give each link a length. For a distance θ, merge ranks that are less than θ apart, in
 * the nearer direction, into parts. If the contributors and receivers of a result lie in k(θ) parts, at least k(θ) − 1 of its messages go between
 * parts, each over a distance of θ or more. Ranks that both contribute to a result and want it, as all do in an allreduce, need further messages: at
 * least one less than the parts that they lie in. Integrated over θ and summed over results that share no contribution, this is a lower bound on the
 * bytes × length of all messages.
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
