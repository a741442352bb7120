/** Parts of an alltoall, each on a path of its own, as a schedule. */
import type { Collective } from '../../ir/collective.ts';
import type { Schedule } from '../../ir/schedule.ts';
import type { Parcel } from '../list/routed/schedule.ts';
import { alltoallSchedule } from '../list/routed/schedule.ts';
import { neighbours } from './order.ts';
import type { RoundsProblem } from './problem.ts';
import type { Rounded } from './rounding.ts';

/** Every chunk is a parcel; what lies on its way at other ranks lies in their scratch. */
export function alltoallInRounds(
  name: string,
  collective: Collective,
  { network, rounds, commodities }: RoundsProblem,
  { chunks, parts }: Rounded,
): Schedule {
  const ways = network.from.length;
  const parcels: Parcel[] = [];
  const paths: number[][] = [];
  const carried = Array.from({ length: rounds }, () => new Map<number, number[]>());
  commodities.forEach(({ source = 0, targets: [destination] }, commodity) => {
    const from = parcels.length;
    for (const { column, count } of neighbours(parts[commodity])) {
      for (let chunk = 0; chunk < count; chunk++) {
        const parcel = parcels.length;
        parcels.push({ source, destination, weight: 1, part: parcel - from, parts: chunks });
        paths.push(column.hops.map((hop) => hop % ways));
        for (const hop of column.hops) {
          const messages = carried[Math.floor(hop / ways)];
          const message = messages.get(hop % ways);
          if (message === undefined) messages.set(hop % ways, [parcel]);
          else message.push(parcel);
        }
      }
    }
  });
  const arcs = Array.from(network.from, (from, way) => ({ from, to: network.to[way], channel: 0 }));
  const messages = carried.map((round) =>
    [...round].sort(([a], [b]) => a - b).map(([arc, inside]) => ({ arc, parcels: inside })),
  );
  return alltoallSchedule(name, collective, { arcs, ranks: network.ranks }, { parcels, paths, rounds: messages });
}
