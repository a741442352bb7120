/**
 * Machines that look the same from every rank. Where renumbering the ranks takes arcs to arcs of the same kind, what is
 * decided for one parcel can be decided for all its images: the search is smaller by the number of images, and the images
 * share the machine evenly by themselves.
 */
import { shapesOf, TranslationGroup } from '../../../ir/translation-group.ts';
import type { ArcNetwork } from '../../arcs.ts';
import { mostShapes } from '../../limits.ts';
import { limits } from '../limits.ts';
import type { RoutedParcels } from './schedule.ts';

/** Renumberings of the ranks that change nothing, of which only the identity leaves any rank where it is. */
export interface Symmetry {
  /** `images[g][rank]`; the identity is the first. */
  readonly images: readonly Int32Array[];
  /** `arcImages[g][arc]`. */
  readonly arcImages: readonly Int32Array[];
}

/**
 * Looks for translations: ranks are mixed-radix coordinates that are shifted along each axis, in the machine's own shape or
 * in any other with as many ranks. The identity alone where there are none.
 */
export function symmetryOf(network: ArcNetwork, shape: readonly number[] | undefined): Symmetry {
  const { ranks, arcs } = network;
  if (ranks * arcs.length > limits.effort) return identity(network);
  const imageOf = arcImages(network);
  for (const extents of [...(shape === undefined ? [] : [shape]), ...shapesOf(ranks, mostShapes)]) {
    const group = new TranslationGroup(extents);
    if (group.strides.some((by) => imageOf(group.images(by)) === undefined)) continue;
    const images = Array.from({ length: ranks }, (_, by) => group.images(by));
    return { images, arcImages: images.flatMap((image) => imageOf(image) ?? []) };
  }
  return identity(network);
}

/** No renumbering but that which changes nothing. */
export function identity({ ranks, arcs }: ArcNetwork): Symmetry {
  return { images: [Int32Array.from(Array(ranks).keys())], arcImages: [Int32Array.from(arcs.keys())] };
}

/** Finds where arcs go when ranks are renumbered; undefined if not to arcs of the same kind, or not so that resources follow. */
function arcImages({ ranks, arcs }: ArcNetwork): (image: Int32Array) => Int32Array | undefined {
  // Arcs between the same ranks are told apart by their channels.
  const endsOf = (from: number, to: number, channel: number): number => (channel * ranks + from) * ranks + to;
  const byEnds = new Map(arcs.map(({ from, to, channel }, index) => [endsOf(from, to, channel), index]));
  return (image) => {
    const result = new Int32Array(arcs.length);
    const resourceImage = new Map<number, number>();
    for (const [a, { from, to, channel, latency, resources, secondsPerByte }] of arcs.entries()) {
      const index = byEnds.get(endsOf(image[from], image[to], channel));
      if (index === undefined) return undefined;
      const other = arcs[index];
      if (other.latency !== latency || other.resources.length !== resources.length) return undefined;
      for (const [i, resource] of resources.entries()) {
        const known = resourceImage.get(resource) ?? other.resources[i];
        if (other.secondsPerByte[i] !== secondsPerByte[i] || known !== other.resources[i]) return undefined;
        resourceImage.set(resource, known);
      }
      result[a] = index;
    }
    return result;
  };
}

/**
 * The machine in which one parcel stands for all its images: a resource stands for all its images too, and a parcel takes
 * of it what all images of the parcel take of one of them.
 */
export function quotient(network: ArcNetwork, symmetry: Symmetry): ArcNetwork {
  const order = symmetry.arcImages.length;
  if (order === 1) return network;
  const classOf = new Int32Array(network.resources).fill(-1);
  const members: number[] = [];
  network.arcs.forEach(({ resources }, arc) => {
    resources.forEach((resource, i) => {
      if (classOf[resource] >= 0) return;
      const images = new Set(symmetry.arcImages.map((image) => network.arcs[image[arc]].resources[i]));
      for (const image of images) classOf[image] = members.length;
      members.push(images.size);
    });
  });
  const arcs = network.arcs.map((arc) => ({
    ...arc,
    resources: arc.resources.map((resource) => classOf[resource]),
    secondsPerByte: arc.secondsPerByte.map((seconds, i) => (seconds * order) / members[classOf[arc.resources[i]]]),
  }));
  return { ...network, arcs, resources: members.length };
}

/** The least rank of each set of ranks that are images of each other. */
export function representatives({ images }: Symmetry): readonly number[] {
  return [...images[0]].filter((rank) => images.every((image) => image[rank] >= rank));
}

/** All images of parcels and of what happens to them; image g of parcel p is number g · (number of parcels) + p. */
export function unfolded({ parcels, paths, rounds }: RoutedParcels, symmetry: Symmetry): RoutedParcels {
  return {
    parcels: symmetry.images.flatMap((image) =>
      parcels.map((parcel) => ({ ...parcel, source: image[parcel.source], destination: image[parcel.destination] })),
    ),
    paths: symmetry.arcImages.flatMap((image) => paths.map((path) => path.map((arc) => image[arc]))),
    rounds: rounds.map((messages) => {
      const all = new Map<number, number[]>();
      for (const [g, image] of symmetry.arcImages.entries()) {
        for (const { arc, parcels: carried } of messages) {
          const there = all.get(image[arc]) ?? [];
          for (const parcel of carried) there.push(g * parcels.length + parcel);
          all.set(image[arc], there);
        }
      }
      return [...all].map(([arc, carried]) => ({ arc, parcels: carried }));
    }),
  };
}
