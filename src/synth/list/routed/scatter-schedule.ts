/** Routed parcels of a scatter as a schedule: on its way a parcel lies where the data buffer has its place. */
import type { Collective } from '../../../ir/collective.ts';
import { type Piece, type Schedule, StepsBuilder } from '../../../ir/schedule.ts';
import type { ArcNetwork } from '../../arcs.ts';
import { type Places, unevenPlaces } from '../places.ts';
import type { RoutedParcels } from './parcels.ts';

/**
 * The schedule of a scatter; the parcels of a shard are equal parts of its chunks, or nearly so.
 *
 * @param collective its root is the source of all parcels
 * @param routed parcels by destination
 */
export function scatterSchedule(
  name: string,
  collective: Collective,
  { arcs }: ArcNetwork,
  { parcels, rounds }: RoutedParcels,
): Schedule {
  const destinations = Int32Array.from(parcels, ({ destination }) => destination);
  const places = unevenPlaces(destinations, collective.chunks);
  const builder = new StepsBuilder();
  for (const messages of rounds) {
    for (const { arc, parcels: carried } of messages) {
      const { from, to, channel } = arcs[arc];
      const pieces = piecesOf(carried, to, places, destinations);
      const transfer = { kind: 'copy', order: 'held-first', origin: undefined } as const;
      if (pieces.length > 0) builder.add({ ...transfer, source: from, destination: to, channel, pieces });
    }
    builder.endStep();
  }
  return { name, collective, scratch: 0, commutative: false, ring: false, steps: builder.build() };
}

/** Neighbours as one piece; the receiver's own shard, which lies in its output, is a piece of its own. */
function piecesOf(carried: readonly number[], to: number, places: Places, destinations: Int32Array): Piece[] {
  const pieces: Piece[] = [];
  const sorted = [...carried].sort((a, b) => a - b);
  for (let i = 0; i < sorted.length; ) {
    const isOwn = destinations[sorted[i]] === to;
    const offset = places.first(sorted[i]);
    let end = places.end(sorted[i++]);
    while (i < sorted.length && (destinations[sorted[i]] === to) === isOwn && places.first(sorted[i]) === end) {
      end = places.end(sorted[i++]);
    }
    if (end > offset)
      pieces.push({ from: 'data', fromOffset: offset, to: 'data', toOffset: offset, count: end - offset });
  }
  return pieces;
}
