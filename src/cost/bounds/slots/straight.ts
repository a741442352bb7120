/**
 * Alltoall where every chip has slots (exclusive-slots.ts): bytes go straight, or twice.
 *
 * What rank s has for rank t, m bytes, may go straight from s to t. Then a message goes from s to t, which holds a slot of s for
 * α + n/β or more, with the least Σα from s to t. What does not go straight is sent by s and later by another chip. A slot of
 * bandwidth β that is held for the time T could carry βT bytes, so that each message of n bytes uses up aα + n of what all slots carry,
 * a being the bandwidth of the slowest slot of its sender. Of x bytes straight and m − x otherwise that makes aα + x + 2(m − x),
 * least for x = m, or 2m for x = 0. So all slots together carry at least Σ min(aα + m, 2m), over all pairs:
 *
 *   T ≥ Σ min(aα + m, 2m) / ΣB
 *
 * On one port, messages longer than α·β are best sent straight: (N − 1)(α + m/β). The same holds of slots of receivers.
 */

import type { Certificate } from '../../../ir/certificate.ts';
import type { Collective } from '../../../ir/collective.ts';
import type { Bytes, Seconds } from '../../../ir/units.ts';
import type { MachineFacts } from '../machine-facts.ts';
import { bytesBetween } from '../needs.ts';
import { type Direction, slotsOfRank } from './exclusive-slots.ts';

/** On machines of more ranks the bound is looked for only if their chips are alike. */
const manyRanks = 512;

export function straightBounds(collective: Collective, facts: MachineFacts, size: Bytes): Certificate[] {
  const { kind, ranks, counts } = collective;
  const alike = facts.alike && counts === undefined;
  if (kind !== 'alltoall' || (!alike && ranks > manyRanks)) return [];
  return (['out', 'in'] as const).flatMap((direction): Certificate[] => {
    let [used, carried, straight] = [0, 0, 0];
    const looked = alike ? 1 : ranks;
    for (let rank = 0; rank < looked; rank++) {
      const slots = slotsOfRank(facts, rank, direction);
      if (slots === undefined) return [];
      carried += slots.together;
      for (const { bytes, latency } of pairsOf(rank, direction, collective, facts, size)) {
        const once = slots.slowest * latency + bytes;
        used += Math.min(once, 2 * bytes);
        if (once < 2 * bytes) straight += ranks / looked;
      }
    }
    const whose = direction === 'out' ? 'senders' : 'receivers';
    const reason = `what does not go straight is sent twice: at best ${straight} of ${ranks * (ranks - 1)} pairs of ranks have messages of their own, each for its latency and bytes at ${whose}`;
    return [{ kind: 'straight', seconds: used / carried, reason, witness: { direction } }];
  });
}

/** What one rank has for each other, or each other for it, and the least Σα between them. */
function pairsOf(
  rank: number,
  direction: Direction,
  collective: Collective,
  { topology, latencies, backwards }: MachineFacts,
  size: Bytes,
): { readonly bytes: Bytes; readonly latency: Seconds }[] {
  const isOut = direction === 'out';
  const least = (isOut ? latencies : backwards).from(topology.chips[rank]);
  const others = topology.chips.map((_, other) => other).filter((other) => other !== rank);
  return others.map((other) => {
    const bytes = bytesBetween(collective, size, [isOut ? rank : other], [isOut ? other : rank]);
    return { bytes, latency: least[topology.chips[other]] };
  });
}
