/** Parcels on their way: what is carried where in which round. */
import type { Root } from '../../shares.ts';
import type { Demand } from './paths.ts';
import type { RoundMessage } from './rounds.ts';
import type { Symmetry } from './symmetry.ts';

/** One of the equal parts of what one rank has for another. */
export interface Parcel extends Demand {
  /** Which part it is, of how many. */
  readonly part: number;
  readonly parts: number;
}

/** `parts` parcels from a rank to each of some others for each unit that it gets. */
export function parcelsFrom(source: number, destinations: readonly Root[], parts: number): Parcel[] {
  return destinations
    .filter(({ rank }) => rank !== source)
    .flatMap(({ rank, share }) => cutUp({ source, destination: rank, weight: parts * share }, parts * share));
}

/** A demand in equal parts. */
export function cutUp({ source, destination, weight }: Demand, parts: number): Parcel[] {
  return Array.from({ length: parts }, (_, part) => ({ source, destination, weight: weight / parts, part, parts }));
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
      parcels.map((parcel) => ({
        ...parcel,
        source: image[parcel.source],
        destination: image[parcel.destination],
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
