/**
 * Machines that look the same from every rank. Where renumbering the ranks takes arcs to arcs of the same kind, what is
 * decided for one parcel can be decided for all its images: the search is smaller by the number of images, and the images
 * share the machine evenly by themselves.
 */
import { shapesOf, TranslationGroup } from '../../../ir/translation-group.ts';
import type { Arc, ArcNetwork } from '../../arcs.ts';
import { mostShapes } from '../../limits.ts';
import { limits } from '../limits.ts';

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
  const alone = identity(network);
  if (network.ranks * network.arcs.length > limits.effort) return alone;
  const arcsByEnds = new Map(network.arcs.map((arc, index) => [endsOf(network, arc), index]));
  const imagesOf = (extents: readonly number[]): Symmetry | undefined => {
    const group = new TranslationGroup(extents);
    const changes = (by: number) => arcImage(network, arcsByEnds, group.images(by)) === undefined;
    if (group.strides.some(changes)) return undefined;
    const images = Array.from({ length: network.ranks }, (_, by) => group.images(by));
    const arcImages = images.flatMap((image) => arcImage(network, arcsByEnds, image) ?? []);
    return arcImages.length === images.length ? { images, arcImages } : undefined;
  };
  for (const extents of [...(shape === undefined ? [] : [shape]), ...shapesOf(network.ranks, mostShapes)]) {
    const symmetry = imagesOf(extents);
    if (symmetry !== undefined) return symmetry;
  }
  return alone;
}

/** No renumbering but that which changes nothing. */
export function identity({ ranks, arcs }: ArcNetwork): Symmetry {
  return { images: [inOrder(ranks)], arcImages: [inOrder(arcs.length)] };
}

function inOrder(count: number): Int32Array {
  return Int32Array.from({ length: count }, (_, index) => index);
}

/** Arcs between the same ranks are told apart by their channels. */
function endsOf({ ranks }: ArcNetwork, { from, to, channel }: Pick<Arc, 'from' | 'to' | 'channel'>): number {
  return (channel * ranks + from) * ranks + to;
}

/** Where arcs go when ranks are renumbered; undefined if not to arcs of the same kind, or not so that resources follow. */
function arcImage(
  network: ArcNetwork,
  arcsByEnds: ReadonlyMap<number, number>,
  image: Int32Array,
): Int32Array | undefined {
  const { arcs } = network;
  const result = new Int32Array(arcs.length);
  const resourceImage = new Map<number, number>();
  for (let a = 0; a < arcs.length; a++) {
    const { from, to, channel, latency, resources, secondsPerByte } = arcs[a];
    const index = arcsByEnds.get(endsOf(network, { from: image[from], to: image[to], channel }));
    if (index === undefined) return undefined;
    const other = arcs[index];
    if (other.latency !== latency || other.resources.length !== resources.length) return undefined;
    for (let i = 0; i < resources.length; i++) {
      const known = resourceImage.get(resources[i]);
      if (other.secondsPerByte[i] !== secondsPerByte[i]) return undefined;
      if (known !== undefined && known !== other.resources[i]) return undefined;
      resourceImage.set(resources[i], other.resources[i]);
    }
    result[a] = index;
  }
  return result;
}

/**
 * The machine in which one parcel stands for all its images: a resource stands for all its images too, and a parcel takes
 * of it what all images of the parcel take of one of them.
 */
export function quotient(network: ArcNetwork, { arcImages }: Symmetry): ArcNetwork {
  const order = arcImages.length;
  if (order === 1) return network;
  const classOf = new Int32Array(network.resources).fill(-1);
  const members: number[] = [];
  network.arcs.forEach(({ resources }, arc) => {
    resources.forEach((resource, i) => {
      if (classOf[resource] >= 0) return;
      const images = new Set(arcImages.map((image) => network.arcs[image[arc]].resources[i]));
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
  const [ranks] = images;
  return [...ranks].filter((rank) => images.every((image) => image[rank] >= rank));
}
