/** Routed parcels of a scatter as a schedule: on its way a parcel lies where the data buffer has its place. */
import type { Collective } from '../../../ir/collective.ts';
import { type Schedule, StepsBuilder } from '../../../ir/schedule.ts';
import type { ArcNetwork } from './network.ts';
import type { RoutedParcels } from './parcels.ts';

/**
 * The schedule of a scatter whose parcels are `width` chunks each.
 *
 * @param collective its root is the source of all parcels
 */
export function scatterSchedule(
  name: string,
  collective: Collective,
  width: number,
  { arcs }: ArcNetwork,
  { parcels, rounds }: RoutedParcels,
): Schedule {
  const perShard = collective.chunks / width;
  const builder = new StepsBuilder();
  for (const messages of rounds) {
    for (const { arc, parcels: carried } of messages) {
      const { from, to, channel } = arcs[arc];
      const slots = carried.map((parcel) => parcels[parcel].destination * perShard + parcels[parcel].chunk);
      const pieces = rangesWithinShards(slots, perShard).map(({ first, count }) => {
        const place = { from: 'data', fromOffset: first * width, to: 'data', toOffset: first * width } as const;
        return { ...place, count: count * width };
      });
      const transfer = { kind: 'copy', order: 'held-first', origin: undefined } as const;
      builder.add({ ...transfer, source: from, destination: to, channel, pieces });
    }
    builder.endStep();
  }
  return { name, collective, scratch: 0, commutative: false, ring: false, steps: builder.build() };
}

/** Runs of neighbouring slots, ascending; a rank's own shard, which lies in its output, is a run of its own. */
function rangesWithinShards(slots: readonly number[], perShard: number): { first: number; count: number }[] {
  const runs: { first: number; count: number }[] = [];
  for (const slot of [...slots].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last !== undefined && last.first + last.count === slot && slot % perShard !== 0) last.count++;
    else runs.push({ first: slot, count: 1 });
  }
  return runs;
}
