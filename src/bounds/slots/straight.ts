/**
 * Alltoall bound where every chip has slots (exclusive-slots.ts): a message goes straight to its destination or is sent
 * at least twice. The theorem is in certificates/straight.ts, the proof in docs/bounds.md, *Straight or twice*.
 */
import type { Certificate } from '../../ir/certificate.ts';
import type { Collective } from '../../ir/collective.ts';
import type { Bytes } from '../../ir/units.ts';
import { searched } from '../limits.ts';
import type { MachineFacts } from '../machine-facts.ts';
import { bytesBetween } from '../needs.ts';
import { slotsOfRank } from './exclusive-slots.ts';

export function straightBounds(collective: Collective, facts: MachineFacts, size: Bytes): Certificate[] {
  const { kind, ranks, counts } = collective;
  const { chips } = facts.topology;
  const alike = facts.alike && counts === undefined;
  if (kind !== 'alltoall' || (!alike && ranks > searched.straightRanks)) return [];
  return (['out', 'in'] as const).flatMap((direction): Certificate[] => {
    let [used, carried, straight] = [0, 0, 0];
    const looked = alike ? 1 : ranks;
    for (let rank = 0; rank < looked; rank++) {
      const slots = slotsOfRank(facts, rank, direction);
      if (slots === undefined) return [];
      carried += slots.together;
      const least = (direction === 'out' ? facts.latencies : facts.backwards).from(chips[rank]);
      for (let other = 0; other < ranks; other++) {
        const [from, to] = direction === 'out' ? [rank, other] : [other, rank];
        if (from === to) continue;
        const bytes = bytesBetween(collective, size, [from], [to]);
        const once = slots.slowest * least[chips[other]] + bytes;
        used += Math.min(once, 2 * bytes);
        if (once < 2 * bytes) straight += ranks / looked;
      }
    }
    const whose = direction === 'out' ? 'senders' : 'receivers';
    const reason = `data that is relayed is sent twice: at most ${straight} of ${ranks * (ranks - 1)} pairs of ranks use direct messages, each of which occupies ${whose} for its latency and its bytes`;
    return [{ kind: 'straight', seconds: used / carried, reason, witness: { direction } }];
  });
}
