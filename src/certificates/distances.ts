/**
 * Theorem (docs/bounds.md, *Lengths*, alltoall). Give each link a length. Whichever chips relay them, the m bytes that rank s has for rank t cross
 * links whose lengths add up to at least the shortest distance dist(s, t). So the bytes × length of all messages are at least Σ m·dist(s, t) over all
 * pairs.
 */

import type { Witnesses } from '../ir/certificate.ts';
import { floatAt, itemAt } from '../ir/indexing.ts';
import { shardBytes } from '../ir/shards.ts';
import type { Seconds } from '../ir/units.ts';
import { timeForDistance } from './lengths.ts';
import type { Question } from './question.ts';

export function provedByDistances({ lengths }: Witnesses['distances'], question: Question): Seconds {
  const { collective, machine, size } = question;
  if (collective.kind !== 'alltoall') return 0;
  const bytes = shardBytes(collective, size);
  let distance = 0;
  for (const [from, chip] of machine.chips.entries()) {
    const ways = machine.ways([chip], 'out', lengths);
    for (const [to, other] of machine.chips.entries()) {
      const shard = floatAt(bytes, from * collective.ranks + to);
      if (to !== from && shard > 0) distance += itemAt(ways, other) * shard;
    }
  }
  return timeForDistance(distance, lengths, question);
}
