/**
 * Latency and bytes added up, where shards come together and every chip has slots (exclusive-slots.ts): one chip takes in
 * N − 1 shards of m bytes, B bytes per second at most, and no chip has more than its own shard for it at first.
 *
 * Let r = B / (bandwidth of the slowest slot) and σ(w) be the earliest time at which a slot of any chip, of bandwidth β, can have
 * taken in β·w bytes. Then σ(w) ≥ ⌈log₁₊ᵣ(1 + Bw/m)⌉·α + w. Proof by induction: let the last message have c seconds' worth of
 * bytes, βc. It starts after w − c were taken in, so σ(w) ≥ σ(w − c) + α + c: enough if c ≤ c* where 1 + B(w − c*)/m =
 * (1 + Bw/m)/(1 + r). Else its sender has taken in βc − m bytes before, hence one of its slots (βc − m)/B seconds' worth, so
 * σ(w) ≥ σ((βc − m)/B) + α + c; there 1 + (βc − m)/m = βc/m > (1 + Bw/m)/(1 + r), as β ≥ B/r, and the bytes suffice as well:
 * (βc − m)/B + c ≥ w. Of the chip's own slots one takes in (N − 1)m/B seconds' worth: T ≥ ⌈log₁₊ᵣ N⌉·α + (N − 1)m/B.
 *
 * On a ring or line of `blocking` links more is true (ring-flow.ts). Backwards in time both hold for what spreads.
 */
import type { Collective } from '../../ir/collective.ts';
import type { Certificate } from '../../ir/report.ts';
import { ranksOf } from '../../ir/topology.ts';
import { type Bytes, formatBytes } from '../../ir/units.ts';
import { type Direction, slotsOf } from './exclusive-slots.ts';
import type { MachineFacts } from './machine-facts.ts';

/** The direction in which N − 1 equal shards of other ranks pass one chip, which each of these starts or ends with one of. */
export function gatheringDirections(collective: Collective): readonly Direction[] {
  if (collective.counts !== undefined) return [];
  switch (collective.kind) {
    case 'allgather':
    case 'gather':
      return ['in'];
    case 'reducescatter':
    case 'scatter':
      return ['out'];
    case 'alltoall':
      return ['in', 'out'];
    default:
      return [];
  }
}

export function gatheringBounds(collective: Collective, facts: MachineFacts, size: Bytes): Certificate[] {
  const ranks = ranksOf(facts.topology);
  return gatheringDirections(collective).flatMap((direction): Certificate[] => {
    const slots = slotsOf(facts, direction);
    if (slots === undefined) return [];
    const rounds = roundsToReach(ranks, slots.together / slots.slowest);
    const bytes = ((ranks - 1) / ranks) * size;
    const way = direction === 'in' ? 'take in' : 'send out';
    return [
      {
        kind: 'combined',
        seconds: rounds * slots.latency + bytes / slots.together,
        reason: `one rank must ${way} ${formatBytes(bytes)}, and it takes ${rounds} messages in a row to have them together: both times add up`,
        witness: { direction, rounds },
      },
    ];
  });
}

/** ⌈log₁₊ᵣ N⌉, never rounded up by mistake. */
function roundsToReach(ranks: number, ratio: number): number {
  let rounds = 0;
  for (let reached = 1; reached < ranks * (1 - 1e-9); reached *= 1 + ratio) rounds++;
  return rounds;
}
