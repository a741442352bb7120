/** Parcels on their way: what is carried where in which round. */
import type { Demand } from './paths.ts';
import type { RoundMessage } from './rounds.ts';
import type { Symmetry } from './symmetry.ts';

/** One of the parts of what one rank has for another; all parcels have the same size. */
export interface Parcel extends Demand {
  /** Which part it is. */
  readonly chunk: number;
}

/** Everything that happens to parcels. */
export interface RoutedParcels {
  readonly parcels: readonly Parcel[];
  /** The arcs of each parcel's path. */
  readonly paths: readonly (readonly number[])[];
  readonly rounds: readonly (readonly RoundMessage[])[];
}

/** All images of parcels and of what happens to them; image g of parcel p is number g · (number of parcels) + p. */
export function unfolded({ parcels, paths, rounds }: RoutedParcels, { images, arcImages }: Symmetry): RoutedParcels {
  return {
    parcels: images.flatMap((image) =>
      parcels.map(({ source, destination, chunk }) => ({
        source: image[source],
        destination: image[destination],
        chunk,
      })),
    ),
    paths: arcImages.flatMap((image) => paths.map((path) => path.map((arc) => image[arc]))),
    rounds: rounds.map((messages) => {
      const all = new Map<number, number[]>();
      arcImages.forEach((image, g) => {
        for (const { arc, parcels: carried } of messages) {
          const there = all.get(image[arc]);
          const here = carried.map((parcel) => g * parcels.length + parcel);
          if (there === undefined) all.set(image[arc], here);
          else there.push(...here);
        }
      });
      return [...all].map(([arc, carried]) => ({ arc, parcels: carried }));
    }),
  };
}
