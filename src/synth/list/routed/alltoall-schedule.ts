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
 * data buffer. On the way parcels lie in scratch.
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
  const builder = new StepsBuilder();
  for (const messages of rounds) {
    for (const { arc, parcels: carried } of messages) {
      for (const parcel of carried) if (place[parcel] >= 0) slots[arcs[arc].from].release(place[parcel]);
    }
    for (const { arc, parcels: carried } of messages) {
      const { from, to, channel } = arcs[arc];
      const nextArc = (parcel: number): number => paths[parcel][hop[parcel] + 1] ?? -1;
      const nextRound = (parcel: number): number => departure[parcel][hop[parcel] + 1] ?? -1;
      const sorted = [...carried].sort(
        (a, b) => nextRound(a) - nextRound(b) || nextArc(a) - nextArc(b) || place[a] - place[b] || a - b,
      );
      const pieces = sorted.map((parcel): Piece => {
        const { source, destination, chunk } = parcels[parcel];
        const isFirst = hop[parcel] === 0;
        const fromSlot = isFirst ? destination * (collective.chunks / width) + chunk : place[parcel];
        hop[parcel]++;
        const isLast = hop[parcel] === paths[parcel].length;
        if (!isLast) place[parcel] = slots[to].take();
        const toSlot = isLast ? source * (collective.chunks / width) + chunk : place[parcel];
        return {
          from: isFirst ? 'input' : 'scratch',
          fromOffset: fromSlot * width,
          to: isLast ? 'data' : 'scratch',
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

/** The rounds in which each parcel leaves, hop by hop. */
function departureRounds(parcels: number, rounds: readonly (readonly RoundMessage[])[]): number[][] {
  const departures: number[][] = Array.from({ length: parcels }, () => []);
  rounds.forEach((messages, round) => {
    for (const { parcels: carried } of messages) for (const parcel of carried) departures[parcel].push(round);
  });
  return departures;
}
