/**
 * Overhead bound: what the lane model (per-message overheads of senders and receivers) adds to the latency between two
 * ranks. The theorem is in certificates/overheads.ts.
 */

import type { Certificate } from '../../ir/certificate.ts';
import { type Collective, collectiveFacts } from '../../ir/collective.ts';
import { fastestPace } from '../../ir/lanes.ts';
import type { MachineFacts } from '../machine-facts.ts';

/** @param latency the latency certificate of the farthest pair */
export function overheadBound(
  { kind }: Collective,
  { topology: { lane } }: MachineFacts,
  latency: readonly Certificate[],
): readonly Certificate[] {
  if (lane === undefined || kind === 'barrier') return [];
  return latency.flatMap((certificate) => {
    if (certificate.kind !== 'latency') return [];
    const { from, to } = certificate.witness;
    // The result of an exscan may be one rank's input alone, and custom collectives are not analysed.
    const combines = kind !== 'exscan' && kind !== 'custom' && collectiveFacts[kind].reduces;
    const seconds = certificate.seconds + 2 * fastestPace(lane).overhead + (combines ? lane.local.overhead : 0);
    const done = combines ? 'send, receive and combine' : 'send and receive';
    return [
      {
        kind: 'overheads',
        seconds,
        reason: `rank ${to} needs data from rank ${from}, and lanes must ${done} it`,
        witness: { from, to },
      },
    ];
  });
}
