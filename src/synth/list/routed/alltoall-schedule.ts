/** Routed parcels of an alltoall as a schedule: where each parcel lies on its way, and the messages that move it on. */
import type { Collective } from '../../../ir/collective.ts';
import { type Piece, type Schedule, StepsBuilder } from '../../../ir/schedule.ts';
import { joinPieces } from '../../../passes/index.ts';
import type { Arc } from '../../arcs.ts';
import type { Parcel, RoutedParcels } from './parcels.ts';
import { TransitSlots } from './transit-slots.ts';

/**
 * The schedule of an alltoall; the parcels of a pair are equal parts of its chunks, or nearly so.
 *
 * The first hop reads the input by that name: what arrives for good may already have overwritten the same place of the
 * data buffer. On the way parcels lie in scratch, side by side as they came: they are copied only where what leaves together came apart.
 */
export function alltoallSchedule(
  name: string,
  collective: Collective,
  { arcs, ranks }: { readonly arcs: readonly Pick<Arc, 'from' | 'to' | 'channel'>[]; readonly ranks: number },
  { parcels, paths, rounds }: RoutedParcels,
): Schedule {
  const { chunks } = collective;
  const boundary = ({ parts }: Parcel, part: number): number => Math.round((chunks * part) / parts);
  const firstOf = (parcel: Parcel): number => boundary(parcel, parcel.part);
  const width = Int32Array.from(parcels, (parcel) => boundary(parcel, parcel.part + 1) - firstOf(parcel));
  const slots = Array.from({ length: ranks }, () => new TransitSlots());
  const place = new Int32Array(parcels.length).fill(-1);
  const hop = new Int32Array(parcels.length);
  const inOrder = byItinerary(itinerariesOf(paths, rounds, arcs.length), hop, place);
  const builder = new StepsBuilder();
  for (const messages of rounds) {
    for (const { arc, parcels: carried } of messages) {
      for (const parcel of carried) if (place[parcel] >= 0) slots[arcs[arc].from].release(place[parcel], width[parcel]);
    }
    for (const { arc, parcels: carried } of messages) {
      const { from, to, channel } = arcs[arc];
      const isLast = (parcel: number): boolean => hop[parcel] + 1 === paths[parcel].length;
      const sorted = carried.filter((parcel) => width[parcel] > 0).sort(inOrder);
      const staying = sorted.reduce((sum, parcel) => (isLast(parcel) ? sum : sum + width[parcel]), 0);
      let transit = slots[to].take(staying);
      const pieces = sorted.map((parcel): Piece => {
        const { source, destination } = parcels[parcel];
        const first = firstOf(parcels[parcel]);
        const isFirst = hop[parcel] === 0;
        const fromOffset = isFirst ? destination * chunks + first : place[parcel];
        const arrives = isLast(parcel);
        if (!arrives) {
          place[parcel] = transit;
          transit += width[parcel];
        }
        hop[parcel]++;
        const toOffset = arrives ? source * chunks + first : place[parcel];
        return {
          from: isFirst ? 'input' : 'scratch',
          fromOffset,
          to: arrives ? 'data' : 'scratch',
          toOffset,
          count: width[parcel],
        };
      });
      const transfer = { kind: 'copy', order: 'held-first', origin: undefined } as const;
      if (pieces.length === 0) continue;
      builder.add({ ...transfer, source: from, destination: to, channel, pieces: joinPieces(pieces) });
    }
    builder.endStep();
  }
  const scratch = slots.reduce((most, { size }) => Math.max(most, size), 0);
  return { name, collective, scratch, commutative: false, ring: false, steps: builder.build() };
}

/** The hops of all parcels: those of parcel p are `hops[first[p] … first[p + 1] − 1]`, sooner ones less than later ones. */
interface Itineraries {
  readonly first: Int32Array;
  /** The round of each, times the number of arcs, plus the arc. */
  readonly hops: Float64Array;
}

function itinerariesOf(paths: RoutedParcels['paths'], rounds: RoutedParcels['rounds'], arcs: number): Itineraries {
  const first = new Int32Array(paths.length + 1);
  for (const [parcel, { length }] of paths.entries()) first[parcel + 1] = first[parcel] + length;
  const hops = new Float64Array(first[paths.length]);
  const next = first.slice();
  rounds.forEach((messages, round) => {
    for (const { arc, parcels } of messages) for (const parcel of parcels) hops[next[parcel]++] = round * arcs + arc;
  });
  return { first, hops };
}

/** First what stays; of the rest, what goes on together side by side, hop after hop, and in the order in which it lies. */
function byItinerary(
  { first, hops }: Itineraries,
  hop: Int32Array,
  place: Int32Array,
): (a: number, b: number) => number {
  return (a, b) => {
    const [endA, endB] = [first[a + 1], first[b + 1]];
    let [i, j] = [first[a] + hop[a] + 1, first[b] + hop[b] + 1];
    const rest = endA - i - (endB - j);
    while (i < endA && j < endB) {
      const difference = hops[i++] - hops[j++];
      if (difference !== 0) return difference;
    }
    return rest || place[a] - place[b] || a - b;
  };
}
