/**
 * Staging bound with messages: a chip must copy data before its messages begin, or after they have ended. The theorem
 * is in certificates/copied-first.ts.
 */
import type { Certificate, Direction } from '../../ir/certificate.ts';
import type { Collective } from '../../ir/collective.ts';
import { type Bytes, type BytesPerSecond, formatBytes, formatBytesPerSecond, type Seconds } from '../../ir/units.ts';
import { searched } from '../limits.ts';
import type { MachineFacts } from '../machine-facts.ts';
import { bytesBetween } from '../needs.ts';
import { type Slots, slotsOfRank } from './exclusive-slots.ts';

/** The certificate of the rank with the largest bound; none on machines that do not stage messages. */
export function copiedFirstBounds(collective: Collective, facts: MachineFacts, size: Bytes): Certificate[] {
  const { staging, chips, nodes } = facts.topology;
  if (staging === undefined || collective.kind === 'custom' || collective.kind === 'barrier') return [];
  let longest: Certificate | undefined;
  for (const direction of ['out', 'in'] as const) {
    for (const [rank, chip] of chips.entries()) {
      const slots = slotsOfRank(facts, rank, direction);
      const { throughput = 0 } = nodes[chip].copy ?? {};
      if (slots === undefined || throughput < slots.together || slots.latency === 0) continue;
      const others = Array.from(chips.keys()).filter((other) => other !== rank);
      const [sources, targets] = direction === 'out' ? [[rank], others] : [others, [rank]];
      const bytes = bytesBetween(collective, size, sources, targets);
      const seconds = bytes === 0 ? 0 : minTime(bytes, throughput, slots);
      if (seconds <= (longest?.seconds ?? 0)) continue;
      const reason = reasonOf(rank, direction, bytes, throughput);
      longest = { kind: 'copied-first', seconds, reason, witness: { direction, rank } };
    }
  }
  return longest === undefined ? [] : [longest];
}

function reasonOf(rank: number, direction: Direction, bytes: Bytes, copies: BytesPerSecond): string {
  const [moved, when] =
    direction === 'out' ? ['sends', 'before its messages start'] : ['receives', 'after they have arrived'];
  return `rank ${rank} ${moved} ${formatBytes(bytes)}, which must be copied at ${formatBytesPerSecond(copies)} ${when}`;
}

/** The minimum over all numbers of messages. */
function minTime(bytes: Bytes, copies: BytesPerSecond, { together, fastest, slowest, count, latency }: Slots): Seconds {
  const ratio = together / copies;
  const perMessage = slowest * latency;
  const overlapping = (fastest * count * (count - 1)) / 2;
  let [power, powers, late, best] = [1, 0, 0, Number.POSITIVE_INFINITY];
  for (let messages = 1; messages <= searched.turns; messages++) {
    // The mean of the delays grows with the number of messages.
    if (bytes + (perMessage * late) / Math.max(1, powers) >= together * best) break;
    powers += power;
    late += powers;
    const asked = bytes * (powers + power * ratio) + perMessage * late;
    const underWay = power * (count - 1) * (bytes + messages * perMessage);
    const apart = asked / (together * powers);
    best = Math.min(best, Math.max(apart, (asked + underWay) / (together * powers + power * overlapping)));
    power *= ratio;
  }
  return Math.min(best, (bytes + (perMessage * late) / powers) / together);
}
