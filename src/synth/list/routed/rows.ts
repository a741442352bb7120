/** A scatter over a tree of a row of ranks, all data for a rank and those behind it in one message. */
import type { Routes } from '../../../ir/routes.ts';
import type { Bytes } from '../../../ir/units.ts';
import type { ArcNetwork } from '../../arcs.ts';
import { treeOverRow, unfitForRow } from '../rows/tree.ts';
import { type Ways, waysOf } from '../ways.ts';
import type { RoutedParcels } from './parcels.ts';

/** One parcel for each rank; undefined where such a tree is not worth a search. */
export function rowParcels(
  { arcs, ranks }: ArcNetwork,
  routes: Routes,
  { root, reversed, shard }: { readonly root: number; readonly reversed: boolean; readonly shard: Bytes },
): RoutedParcels | undefined {
  let found: Ways | undefined;
  const ways = () => (found ??= waysOf(routes, reversed));
  if (unfitForRow(routes.topology, ways) !== undefined) return undefined;
  const arcOf = new Map(
    arcs.flatMap(({ from, to, channel }, arc) => (channel === 0 ? [[from * ranks + to, arc] as const] : [])),
  );
  const parcels = Array.from({ length: ranks }, (_, rank) => rank)
    .filter((rank) => rank !== root)
    .map((destination) => ({ source: root, destination, weight: 1, part: 0, parts: 1 }));
  const parcelOf = new Map(parcels.map(({ destination }, parcel) => [destination, parcel]));
  const paths: number[][] = parcels.map(() => []);
  const rounds = treeOverRow(ways(), root, { fixed: 0, each: shard }).map((round) =>
    round.map(({ from, to, ranks: given }) => {
      const arc = arcOf.get(from * ranks + to) ?? 0;
      const carried = given.flatMap((rank) => parcelOf.get(rank) ?? []);
      for (const parcel of carried) paths[parcel].push(arc);
      return { arc, parcels: carried };
    }),
  );
  return { parcels, paths, rounds };
}
