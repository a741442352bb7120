/** Routed parcels of an alltoall as a schedule: where each parcel lies on its way, and the messages that move it on. */
import type { Collective } from '../../../ir/collective.ts';
import { type Piece, type Schedule, StepsBuilder } from '../../../ir/schedule.ts';
import { joinPieces } from '../../../passes/index.ts';
import type { ArcNetwork } from './network.ts';
import type { RoutedParcels } from './parcels.ts';
import type { RoundMessage } from './rounds.ts';
import { TransitSlots } from './transit-slots.ts';

/**
 * The schedule of an alltoall whose parcels are `width` chunks each.
 *
 * The first hop reads the input by that name: what arrives for good may already have overwritten the same place of the
 * data buffer. On the way parcels lie in scratch, side by side as they came: they are copied only where what leaves together came apart.
 */
export function alltoallSchedule(
  name: string,
  collective: Collective,
  width: number,
  { arcs, ranks }: ArcNetwork,
  { parcels, paths, rounds }: RoutedParcels,
): Schedule {
  const slots = Array.from({ length: ranks }, () => new TransitSlots());
  const place = new Int32Array(parcels.length).fill(-1);
  const hop = new Int32Array(parcels.length);
  const departure = departureRounds(parcels.length, rounds);
  const inOrder = byItinerary(paths, departure, hop, place);
  const builder = new StepsBuilder();
  for (const messages of rounds) {
    for (const { arc, parcels: carried } of messages) {
      for (const parcel of carried) if (place[parcel] >= 0) slots[arcs[arc].from].release(place[parcel]);
    }
    for (const { arc, parcels: carried } of messages) {
      const { from, to, channel } = arcs[arc];
      const isLast = (parcel: number): boolean => hop[parcel] + 1 === paths[parcel].length;
      const sorted = [...carried].sort(inOrder);
      let transit = slots[to].take(sorted.filter((parcel) => !isLast(parcel)).length);
      const pieces = sorted.map((parcel): Piece => {
        const { source, destination, chunk } = parcels[parcel];
        const isFirst = hop[parcel] === 0;
        const fromSlot = isFirst ? destination * (collective.chunks / width) + chunk : place[parcel];
        const arrives = isLast(parcel);
        if (!arrives) place[parcel] = transit++;
        hop[parcel]++;
        const toSlot = arrives ? source * (collective.chunks / width) + chunk : place[parcel];
        return {
          from: isFirst ? 'input' : 'scratch',
          fromOffset: fromSlot * width,
          to: arrives ? 'data' : 'scratch',
          toOffset: toSlot * width,
          count: width,
        };
      });
      const transfer = { kind: 'copy', order: 'held-first', origin: undefined } as const;
      builder.add({ ...transfer, source: from, destination: to, channel, pieces: joinPieces(pieces) });
    }
    builder.endStep();
  }
  const scratch = width * slots.reduce((most, { size }) => Math.max(most, size), 0);
  return { name, collective, scratch, commutative: false, ring: false, steps: builder.build() };
}

/** First what stays; of the rest, what goes on together side by side, hop after hop, and in the order in which it lies. */
function byItinerary(
  paths: RoutedParcels['paths'],
  departure: readonly (readonly number[])[],
  hop: Int32Array,
  place: Int32Array,
): (a: number, b: number) => number {
  return (a, b) => {
    const [endA, endB] = [paths[a].length, paths[b].length];
    for (let i = hop[a] + 1, j = hop[b] + 1; i < endA && j < endB; i++, j++) {
      const difference = departure[a][i] - departure[b][j] || paths[a][i] - paths[b][j];
      if (difference !== 0) return difference;
    }
    return endA - hop[a] - (endB - hop[b]) || place[a] - place[b] || a - b;
  };
}

/** The rounds in which each parcel leaves, hop by hop. */
function departureRounds(parcels: number, rounds: readonly (readonly RoundMessage[])[]): number[][] {
  const departures: number[][] = Array.from({ length: parcels }, () => []);
  rounds.forEach((messages, round) => {
    for (const { parcels: carried } of messages) for (const parcel of carried) departures[parcel].push(round);
  });
  return departures;
}
